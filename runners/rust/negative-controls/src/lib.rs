//! Tests alone: the sizes that libraries have with other options than those that the publication measured.
