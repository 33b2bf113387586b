/// The message types that all codecs share (`wirelab::types`), and which scenarios each serves.
///
/// A codec whose library generates its own types declares how to convert (`wirelab::Form`). The order of fields is part
/// of a message, since some formats write nothing else.
#pragma once

#include "served.hpp"
#include "types.hpp"
