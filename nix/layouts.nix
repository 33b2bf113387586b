# A runner's layouts: links of its objects with the functions in another order, as `lab` makes them of its own builds.
# They are in the runner's derivation, and not its objects: these and the linker would add the compiler's libraries, LLVM
# and the C library's headers to the closure. Programs that differ by their order alone pack well together: eight of
# 2.6 MB take 2 MB, within one window of the compressor. Where they are used, `lab` unpacks them.
{ pkgs }:
let
  inherit (pkgs) lib stdenv;
  inherit (stdenv.hostPlatform) isLinux; # lld shuffles sections of ELF only
  count = 8; # from which a published run draws
in
{
  nativeBuildInputs = lib.optional isLinux pkgs.xz;
  # The script that installs them, where the array `words` has the command by which the program was linked.
  install =
    program:
    lib.optionalString isLinux ''
      for number in "''${!words[@]}"; do
        if [ "''${words[number]}" = -o ]; then output=$((number + 1)); fi
      done
      layouts=$NIX_BUILD_TOP/layouts
      for layout in $(seq ${toString count}); do
        mkdir -p "$layouts/$layout"
        words[output]=$layouts/$layout/${program}
        "''${words[@]}" -B${pkgs.llvmPackages.bintools}/bin -fuse-ld=lld "-Wl,--shuffle-sections=.text*=$layout"
      done
      tar --create --directory="$layouts" --sort=name --mtime=@1 --owner=0 --group=0 --numeric-owner . |
        xz --threads=1 --lzma2=preset=1,dict=64MiB > "$out/layouts.tar.xz"
    '';
}
