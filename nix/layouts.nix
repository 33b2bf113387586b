# A runner's layouts: links of its objects with the functions in another order, as `lab` makes them of its own builds.
# They are in the runner's derivation, and not its objects: these and the linker would add the compiler's libraries, LLVM
# and the C library's headers to the closure, where eight programs are 20 MB without anything else.
{ pkgs }:
let
  inherit (pkgs) lib stdenv;
  inherit (stdenv.hostPlatform) isLinux; # lld shuffles sections of ELF only
  count = 8; # from which a published run draws
in
{
  # The script that installs them, where the array `words` has the command by which the program was linked.
  install =
    program:
    lib.optionalString isLinux ''
      for number in "''${!words[@]}"; do
        if [ "''${words[number]}" = -o ]; then output=$((number + 1)); fi
      done
      for layout in $(seq ${toString count}); do
        mkdir -p "$out/layouts/$layout"
        words[output]=$out/layouts/$layout/${program}
        "''${words[@]}" -B${pkgs.llvmPackages.bintools}/bin -fuse-ld=lld "-Wl,--shuffle-sections=.text*=$layout"
      done
    '';
}
