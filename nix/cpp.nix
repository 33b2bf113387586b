# The C++ runners: CMake's own preset `system`, as `lab build --toolchain system` takes it, with LLVM's compiler and C++
# library on every system, so that Linux and macOS compare one compiler. Libraries are the trees of their releases, not
# nixpkgs' packages of them: those move on with nixpkgs, and build options of theirs change code (Glaze's SIMD).
{ pkgs, ... }:
let
  inherit (pkgs) lib;
  inherit (lib) fileset;
  stdenv = pkgs.llvmPackages.libcxxStdenv;
  project = ../runners/cpp;
  codecs = project + "/codecs";

  # Library → the GitHub repository of its sources, the tag and the hash of that version's tree, and where headers lie in it.
  # The version is the one that runners/cpp/sources.toml pins, since runners are refused that say another.
  libraries = {
    cereal = {
      repository = "USCiLab/cereal";
      version = "1.3.2";
      tag = "v1.3.2";
      hash = "sha256-HapnwM5oSNKuqoKm5x7+i2zt0sny8z8CePwobz1ITQs=";
      headers = "include";
    };
    cli11 = {
      repository = "CLIUtils/CLI11";
      version = "2.4.1";
      tag = "v2.4.1";
      hash = "sha256-YToHUAQtERVtM8lGPJnNilrYnXbuhlTWgwAITgR80c0=";
      headers = "include";
    };
    flatbuffers = {
      repository = "google/flatbuffers";
      version = "23.5.26";
      tag = "v23.5.26";
      hash = "sha256-e+dNPNbCHYDXUS/W+hMqf/37fhVgEGzId6rhP3cToTE=";
      headers = "include";
    };
    glaze = {
      repository = "stephenberry/glaze";
      version = "7.8.4";
      tag = "v7.8.4";
      hash = "sha256-AyDdyj3uN+IZWGItO87NLMIXRU8Irq8gBI3Q3zqKKzU=";
      headers = "include";
    };
    msgpack-c = {
      repository = "msgpack/msgpack-c";
      version = "7.0.0";
      tag = "cpp-7.0.0";
      hash = "sha256-kg4mpNiigfZ59ZeL8LXEHwtkLU8Po+vgRcUcgTJd+h4=";
      headers = "include";
    };
    protobuf = {
      repository = "protocolbuffers/protobuf";
      version = "3.21.12";
      tag = "v3.21.12";
      hash = "sha256-VZQEFHq17UsTH5CZZOcJBKiScGV2xPJ/e6gkkVliRCU=";
      headers = "src";
    };
    zpp_bits = {
      repository = "eyalz800/zpp_bits";
      version = "4.7.6";
      tag = "v4.7.6";
      hash = "sha256-SEWoa+qKHE/oN8JXyC/Y1WYbD8ljCTQOAQKIrDc1X/w=";
      headers = ".";
    };
  };
  # The folder with a library's headers.
  headersOf =
    name:
    let
      library =
        libraries.${name}
          or (throw "nix/cpp.nix has no sources of ${name}: give its repository, tag and the hash of its tree there");
      names = lib.splitString "/" library.repository;
      tree = pkgs.fetchFromGitHub {
        name = "${name}-${library.version}";
        owner = lib.elemAt names 0;
        repo = lib.elemAt names 1;
        inherit (library) tag hash;
      };
    in
    "${tree}/${library.headers}";

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
          "glaze"
        ]
        ++ lib.optional (library != null) library
      );
      common = project + "/libraries/${toString library}"; # what the codecs of a library share
      sources = pkgs.linkFarm "runner-cpp-${codec}-sources" (
        map (name: {
          name = "${name}/include";
          path = headersOf name;
        }) needed
      );
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
            (project + "/kit")
            (project + "/messages")
            folder
          ]
          ++ lib.optional (library != null && lib.pathExists common) common
        );
      };
      nativeBuildInputs = [
        pkgs.cmake
        pkgs.ninja
      ];
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
