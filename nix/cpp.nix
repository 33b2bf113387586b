# The C++ runners: CMake's own preset `system`, as `lab build --toolchain system` takes it, with LLVM's compiler and C++
# library on every system, so that Linux and macOS compare one compiler. Libraries are the sources that
# runners/cpp/sources.toml pins, as everywhere, not nixpkgs' packages: those move on with nixpkgs, and options of theirs
# change code (Glaze's SIMD).
#
# What codecs share is compiled once: the kit and the messages, and of a library what is more than headers. Each is a
# derivation of objects, which a runner's build takes instead of compiling them.
{ pkgs, types, ... }:
let
  inherit (pkgs) lib;
  inherit (lib) fileset;
  stdenv = pkgs.llvmPackages.libcxxStdenv;
  layouts = import ./layouts.nix { inherit pkgs; };
  project = ../runners/cpp;
  codecs = project + "/codecs";

  pins = lib.importTOML (project + "/sources.toml");
  # What CMake's FetchContent is told of a library: its folder, where its headers are in it, and of which version.
  told = name: ''
    set(FETCHCONTENT_SOURCE_DIR_${lib.toUpper name} ${treeOf name})
    set(${name}_include ${(pin name).include or "include"})
    set(${name}_version ${(pin name).version})
  '';
  pin =
    name:
    pins.${name}
      or (throw "${name}, which a codec.json names, is not pinned in runners/cpp/sources.toml: pin it there");
  treeOf =
    name:
    let
      archive = pkgs.fetchurl {
        name = "${name}-${(pin name).version}-archive";
        inherit (pin name) url sha256;
      };
    in
    pkgs.runCommand "${name}-${(pin name).version}" { } ''
      mkdir $out
      tar --extract --file=${archive} --directory=$out --strip-components=1
    '';
  # The libraries of a program: those that the kit is made with, and the codec's.
  needed =
    library:
    lib.unique (
      [
        "cli11"
        "nlohmann_json"
      ]
      ++ lib.optional (library != null) library
    );

  # What the compilers of `lab build` generate code for when nothing is asked for.
  baseline =
    {
      x86_64-linux = "-march=x86-64";
      aarch64-linux = "-march=armv8-a";
      aarch64-darwin = "-mcpu=apple-m1";
    }
    .${stdenv.hostPlatform.system};

  takeOrCompile = pkgs.writeShellScript "take-or-compile" (builtins.readFile ./take-or-compile);

  # What the codecs of a library share.
  common = library: project + "/libraries/${toString library}";

  # CMake's project of the kit, the messages, a library and `folders`, and in its build folder `compile`; `layers` are
  # objects that it takes over.
  build =
    {
      library,
      folders ? [ ],
      layers ? [ ],
      compile,
      ...
    }@asked:
    let
      sources = pkgs.writeTextDir "sources.cmake" (lib.concatMapStrings told (needed library));
    in
    stdenv.mkDerivation (
      {
        inherit layers;
        src = fileset.toSource {
          root = ../.;
          fileset = fileset.unions (
            [
              (project + "/CMakeLists.txt")
              (project + "/CMakePresets.json")
              (project + "/kit/include")
              (project + "/kit/src")
              (project + "/messages")
            ]
            ++ folders
            ++ lib.optional (library != null && lib.pathExists (common library)) (common library)
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
          cmake --preset system -B "$NIX_BUILD_TOP/build" -DWIRELAB_SOURCES=${sources} -DWIRELAB_TYPES=${types} \
            -DCMAKE_CXX_COMPILER_LAUNCHER=${takeOrCompile} \
            -DCMAKE_CXX_FLAGS="-stdlib=libc++ ${baseline}" -DWIRELAB_COMPILER="clang ${lib.getVersion stdenv.cc}"
          cd "$NIX_BUILD_TOP/build"
          ${compile}
          runHook postBuild
        '';
        # The flags are those that `describe` tells, and no others.
        hardeningDisable = [ "all" ];
        dontStrip = true;
      }
      // removeAttrs asked [
        "library"
        "folders"
        "compile"
      ]
    );

  # The objects of a program with this library that are not its codec's, but for those that it took over.
  objects =
    library: layers:
    build {
      name = "cpp-objects";
      inherit library layers;
      preBuild = ''
        mkdir -p runners/cpp/codecs/any
        touch runners/cpp/codecs/any/main.cpp
        echo '${builtins.toJSON { inherit library; }}' > runners/cpp/codecs/any/codec.json
      '';
      compile = ''
        mapfile -t objects < <(ninja -t inputs bin/codec-any | grep '\.o$' | grep -v /codec-any.dir/)
        ninja -j "$NIX_BUILD_CORES" "''${objects[@]}"
      '';
      installPhase = ''
        runHook preInstall
        mkdir "$out"
        for object in "''${objects[@]}"; do
          for layer in $layers; do
            if [ -e "$layer/$object" ]; then continue 2; fi
          done
          install -D -m 644 -t "$out/$(dirname "$object")" "$object" "$object.command"
        done
        runHook postInstall
      '';
      dontFixup = true;
      meta.description = "What is compiled for Wirelab's C++ runners before their own code";
    };
  kit = objects null [ ];

  runner =
    codec:
    let
      folder = codecs + "/${codec}";
      library = (lib.importJSON (folder + "/codec.json")).library or null;
      options = common library + "/library.cmake";
      # Objects of its own, or a compiler of schemas.
      isMoreThanHeaders =
        lib.pathExists options
        && lib.any (call: lib.hasInfix call (lib.readFile options)) [
          "wirelab_compiler("
          "wirelab_objects("
        ];
    in
    build {
      pname = "runner-cpp-${codec}";
      inherit ((lib.importTOML ../pyproject.toml).project) version;
      inherit library;
      folders = [ folder ];
      layers = [ kit ] ++ lib.optional isMoreThanHeaders (objects library [ kit ]);
      compile = ''
        cmake --build . --target codec-${codec} --parallel "$NIX_BUILD_CORES"
      '';
      installPhase = ''
        runHook preInstall
        install -D -t "$out/bin" bin/codec-${codec}
        # CMake writes ": && COMMAND && :".
        command=$(ninja -t commands -s bin/codec-${codec} | sed 's/^: && //; s/ && :$//')
        eval "words=($command)"
        ${layouts.install "codec-${codec}"}
        runHook postInstall
      '';
      disallowedReferences = [ types ] ++ map treeOf (needed library);
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
