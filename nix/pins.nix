# What the flake takes from nixpkgs and the lab pins elsewhere must be the same version in both.
{ pkgs, wheels }:
let
  inherit (pkgs) lib;
  toolchain = lib.importTOML ../rust-toolchain.toml;
  tools = lib.importTOML ../bench/pins/tools.toml;
  nix = lib.importTOML ../bench/pins/nix.toml;
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
      file = "bench/pins/tools.toml";
      here = pkgs.hyperfine.version;
      there = tools.hyperfine.version;
    }
    {
      name = "clang";
      file = "bench/pins/nix.toml";
      here = lib.getVersion pkgs.llvmPackages.libcxxStdenv.cc;
      there = nix.clang.version;
    }
    {
      name = "lld"; # which links the layouts
      file = "bench/pins/nix.toml";
      here = lib.getVersion pkgs.llvmPackages.bintools;
      there = nix.clang.version;
    }
    {
      name = "Python";
      file = "bench/pins/nix.toml";
      here = wheels.python.version;
      there = nix.python.version;
    }
    {
      name = "uv";
      file = "bench/pins/nix.toml";
      here = pkgs.uv.version;
      there = nix.uv.version;
    }
  ];
  # 3.13 is any 3.13.x.
  fits = pin: pin.here == pin.there || lib.hasPrefix "${pin.there}." pin.here;
  wrong = lib.filter (pin: !fits pin) pins;
in
{
  holds = wrong == [ ];
  problem = lib.concatMapStringsSep "\n" (
    pin:
    "${pin.name} is ${pin.here} in the pinned nixpkgs, but ${pin.there} in ${pin.file}: change one of them."
  ) wrong;
}
