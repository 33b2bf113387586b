# The compiler of FlatBuffers schemas that generators of several languages call, in the version of the runners' libraries:
# compiled as bench/building/tools.py does it, from the sources in the crate that bench/pins/tools.toml pins. That of
# nixpkgs is of another version, whose code the libraries refuse.
{ pkgs }:
let
  inherit (pkgs) lib stdenv;
  pin = (lib.importTOML ../bench/pins/tools.toml).flatc;
in
stdenv.mkDerivation {
  name = "flatc"; # not with the version, in which a + is
  src = pkgs.fetchCrate {
    crateName = pin.crate;
    inherit (pin) version sha256;
    unpack = false; # the hash is that of the archive
  };
  unpackPhase = ''
    runHook preUnpack
    tar --extract --gzip --file="$src" --strip-components=1
    cd ${pin.program}
    runHook postUnpack
  '';
  # It runs once a set of types, so that it is not optimized.
  buildPhase = ''
    runHook preBuild
    cp ${../. + "/${pin.main}"} main.cpp
    printf '%s\n' main.cpp ${lib.escapeShellArgs pin.files} | xargs -P "$NIX_BUILD_CORES" -I FILE sh -c \
      "$CXX"' -std=c++17 -w -I. -Iinclude -Isrc -c FILE -o "$(basename FILE).o"'
    $CXX *.o -o flatc
    runHook postBuild
  '';
  installPhase = ''
    runHook preInstall
    install -D -t "$out/bin" flatc
    runHook postInstall
  '';
  hardeningDisable = [ "all" ]; # of which one asks for an optimized build
  meta = {
    description = "The compiler of schemas that Wirelab's generators call";
    license = lib.licenses.asl20;
    mainProgram = "flatc";
  };
}
