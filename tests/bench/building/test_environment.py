"""Facts of the machine, held against what other programs say of it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import cpuinfo
import pytest

from bench.building import environment


@pytest.mark.skipif(not shutil.which("getconf") or sys.platform != "linux", reason="the C library's word on caches")
def test_caches_are_as_large_as_the_c_library_says():
    names = {"L1d": "LEVEL1_DCACHE_SIZE", "L2": "LEVEL2_CACHE_SIZE", "L3": "LEVEL3_CACHE_SIZE"}
    sizes = environment.cache_sizes()
    for level, name in names.items():
        said = subprocess.run(["getconf", name], capture_output=True, text=True, check=False).stdout.strip()
        if said.isdigit() and said != "0" and level in sizes:
            # Of the third level the C library may add up the parts of a package, each of which some cores share.
            assert sizes[level] == int(said) or (level == "L3" and int(said) % sizes[level] == 0)


def test_where_the_cache_is_unknown_a_small_one_is_assumed(monkeypatch):
    monkeypatch.setattr(environment, "cache_sizes", dict)
    assert environment.second_level_bytes() == 2**20


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="Linux shows it there")
def test_the_processor_is_identified_beyond_its_name():
    text, cpu = Path("/proc/cpuinfo").read_text(), environment.cpu()
    for field, name in (("family", "cpu family"), ("model_number", "model"), ("stepping", "stepping")):
        if found := re.search(rf"^{name}\s*:\s*(\d+)$", text, re.MULTILINE):
            assert cpu[field] == int(found[1])
    found = re.search(r"^microcode\s*:\s*(\S+)$", text, re.MULTILINE)
    assert cpu["microcode"] == (found[1] if found else None)
    assert cpu["cache_bytes"] == environment.cache_sizes()


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="Linux says there whether the processor is another")
def test_a_processor_is_probed_once_until_the_kernel_tells_of_another(monkeypatch, tmp_path):
    monkeypatch.setattr(environment.paths, "STATE", tmp_path)
    first = environment.cpu()
    monkeypatch.setattr(cpuinfo, "get_cpu_info", lambda: {"brand_raw": "another"})
    assert environment.cpu() == first
    monkeypatch.setattr(environment, "_read", lambda _: "model name : another")
    assert environment.cpu()["model"] == "another"
    for damaged in (b"{", b'{"kernel_sha256":"\xff"}'):
        (tmp_path / "processor.json").write_bytes(damaged)
        assert environment.cpu()["model"] == "another"


@pytest.mark.parametrize(("read", "khz"), [((2599998000, 0), 2_599_998), ([26, 8], 2_600_000), (None, None)])
def test_the_frequency_is_a_number_and_its_exponent(read, khz):
    assert environment.nominal_khz(read) == khz
