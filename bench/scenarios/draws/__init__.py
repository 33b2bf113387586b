"""Values drawn type by type as Rust's rand draws them from a PCG32: `[input.draws]` of a scenario."""
