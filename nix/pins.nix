# What the flake takes from nixpkgs and the lab pins elsewhere must be the same version in both.
{ pkgs }:
let
  inherit (pkgs) lib;
  toolchain = lib.importTOML ../rust-toolchain.toml;
  # The Python file that names a tool's version: NAME_VERSION = "1.2.3".
  told =
    name:
    let
      found = builtins.match ".*\n${name}_VERSION = \"([^\"]+)\".*" (builtins.readFile ../bench/tools.py);
    in
    if found == null then throw "bench/tools.py: ${name}_VERSION is missing" else lib.head found;
  pins = [
    {
      name = "rustc";
      file = "rust-toolchain.toml";
      here = pkgs.rustc.version;
      there = toolchain.toolchain.channel;
    }
    {
      name = "cargo";
      file = "rust-toolchain.toml";
      here = pkgs.cargo.version;
      there = toolchain.toolchain.channel;
    }
    {
      name = "hyperfine";
      file = "bench/tools.py";
      here = pkgs.hyperfine.version;
      there = told "HYPERFINE";
    }
  ];
  wrong = lib.filter (pin: pin.here != pin.there) pins;
in
{
  holds = wrong == [ ];
  problem = lib.concatMapStringsSep "\n" (
    pin:
    "${pin.name} is ${pin.here} in the pinned nixpkgs, but ${pin.there} in ${pin.file}: change one of them."
  ) wrong;
}
