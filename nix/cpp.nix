# The C++ runners: CMake's own preset `system`, as `lab build --toolchain system` takes it, with LLVM's compiler and C++
# library on every system, so that Linux and macOS compare one compiler. Libraries are the sources that
# runners/cpp/sources.toml pins, as everywhere, not nixpkgs' packages: those move on with nixpkgs, and options of theirs
# change code (Glaze's SIMD).
{ pkgs, ... }:
let
  inherit (pkgs) lib;
  inherit (lib) fileset;
  stdenv = pkgs.llvmPackages.libcxxStdenv;
  layouts = import ./layouts.nix { inherit pkgs; };
  project = ../runners/cpp;
  codecs = project + "/codecs";

  pins = lib.importTOML (project + "/sources.toml");
  # What CMake's FetchContent is told of a library: its folder, where its headers are in it, and of which version.
  told =
    name:
    let
      pin =
        pins.${name}
          or (throw "${name}, which a codec.json names, is not pinned in runners/cpp/sources.toml: pin it there");
      archive = pkgs.fetchurl {
        name = "${name}-${pin.version}-archive";
        inherit (pin) url sha256;
      };
      tree = pkgs.runCommand "${name}-${pin.version}" { } ''
        mkdir $out
        tar --extract --file=${archive} --directory=$out --strip-components=1
      '';
    in
    ''
      set(FETCHCONTENT_SOURCE_DIR_${lib.toUpper name} ${tree})
      set(${name}_include ${pin.include or "include"})
      set(${name}_version ${pin.version})
    '';

  # What the compilers of `lab build` generate code for when nothing is asked for.
  baseline =
    {
      x86_64-linux = "-march=x86-64";
      aarch64-linux = "-march=armv8-a";
      aarch64-darwin = "-mcpu=apple-m1";
    }
    .${stdenv.hostPlatform.system};

  runner =
    codec:
    let
      folder = codecs + "/${codec}";
      library = (lib.importJSON (folder + "/codec.json")).library or null;
      # Those that the kit is made with, and the codec's.
      needed = lib.unique (
        [
          "cli11"
          "nlohmann_json"
        ]
        ++ lib.optional (library != null) library
      );
      common = project + "/libraries/${toString library}"; # what the codecs of a library share
      sources = pkgs.writeTextDir "sources.cmake" (lib.concatMapStrings told needed);
    in
    stdenv.mkDerivation {
      pname = "runner-cpp-${codec}";
      inherit ((lib.importTOML ../pyproject.toml).project) version;
      src = fileset.toSource {
        root = ../.;
        fileset = fileset.unions (
          [
            (project + "/CMakeLists.txt")
            (project + "/CMakePresets.json")
            (project + "/kit/include")
            (project + "/kit/src")
            (project + "/messages")
            folder
          ]
          ++ lib.optional (library != null && lib.pathExists common) common
        );
      };
      nativeBuildInputs = [
        pkgs.cmake
        pkgs.ninja
      ]
      ++ layouts.nativeBuildInputs;
      dontConfigure = true; # nixpkgs' way to call CMake has flags and a build type of its own
      buildPhase = ''
        runHook preBuild
        cd runners/cpp
        # Programs of several codecs, which are not here.
        mkdir loop-comparison
        touch loop-comparison/CMakeLists.txt
        cmake --preset system -B "$NIX_BUILD_TOP/build" -DWIRELAB_SOURCES=${sources} \
          -DCMAKE_CXX_FLAGS="-stdlib=libc++ ${baseline}" -DWIRELAB_COMPILER="clang ${lib.getVersion stdenv.cc}"
        cmake --build "$NIX_BUILD_TOP/build" --target codec-${codec} --parallel "$NIX_BUILD_CORES"
        runHook postBuild
      '';
      installPhase = ''
        runHook preInstall
        install -D -t "$out/bin" "$NIX_BUILD_TOP/build/bin/codec-${codec}"
        cd "$NIX_BUILD_TOP/build"
        # CMake writes ": && COMMAND && :".
        command=$(ninja -t commands -s bin/codec-${codec} | sed 's/^: && //; s/ && :$//')
        eval "words=($command)"
        ${layouts.install "codec-${codec}"}
        runHook postInstall
      '';
      # The flags are those that `describe` tells, and no others.
      hardeningDisable = [ "all" ];
      dontStrip = true;
      env.NIX_NO_SELF_RPATH = "1"; # the program's own path in it, though it has no libraries there
      meta = {
        description = "Wirelab's runner of the codec cpp/${codec}";
        license = lib.licenses.asl20;
        mainProgram = "codec-${codec}";
      };
    };
in
lib.genAttrs (lib.attrNames (
  lib.filterAttrs (name: _: lib.pathExists (codecs + "/${name}/codec.json")) (builtins.readDir codecs)
)) runner
