"""Deterministic figures: instructions under valgrind, sizes of programs, times of clean builds."""
