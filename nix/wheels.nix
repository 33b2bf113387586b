# Python environments from uv.lock: the wheels that fit this system are fetched by their SHA-256, and uv, which knows
# markers and tags, installs from them and from nothing else.
{ pkgs }:
let
  inherit (pkgs) lib stdenv;
  inherit (lib) fileset;
  python = pkgs.python313;
  lock = lib.importTOML ../uv.lock;
  packagesNamed = lib.groupBy (package: package.name) lock.package;
  version = lib.versions.minor python.version;

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
  manifests = fileset.toSource {
    root = ../.;
    fileset = fileset.unions [
      ../pyproject.toml
      ../uv.lock
      (fileset.fileFilter (file: file.name == "pyproject.toml") ../runners)
    ];
  };
in
{
  inherit python;

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
      dependencies =
        (member package).dependencies or [ ]
        ++ lib.concatMap (group: (member package).dev-dependencies.${group}) groups;
      wheels = lib.concatMap wheelsOf (closure dependencies);
    in
    stdenv.mkDerivation {
      inherit name;
      dontUnpack = true;
      nativeBuildInputs = [ pkgs.uv ] ++ lib.optional stdenv.hostPlatform.isLinux pkgs.autoPatchelfHook;
      buildInputs = lib.optionals stdenv.hostPlatform.isLinux [
        stdenv.cc.cc.lib
        pkgs.zlib
      ];
      wheels = pkgs.linkFarm "wheels" (
        map (wheel: {
          name = baseNameOf wheel.url;
          path = pkgs.fetchurl {
            name = lib.strings.sanitizeDerivationName (baseNameOf wheel.url);
            inherit (wheel) url;
            sha256 = lib.removePrefix "sha256:" wheel.hash;
          };
        }) wheels
      );
      buildPhase = ''
        runHook preBuild
        export UV_OFFLINE=1 UV_NO_CACHE=1 UV_PYTHON=${python.interpreter} UV_PYTHON_DOWNLOADS=never HOME=$NIX_BUILD_TOP
        uv venv --quiet --relocatable "$out"
        uv export --quiet --frozen --project ${manifests} --package ${package} --no-default-groups \
          ${lib.concatMapStringsSep " " (group: "--group ${group}") groups} \
          --no-header --no-annotate --no-emit-workspace > "$out/requirements.txt"
        uv pip install --quiet --python "$out/bin/python" --link-mode=copy --require-hashes --only-binary=:all: \
          --no-index --find-links "$wheels" --requirements "$out/requirements.txt"
        # Byte code that does not look at the times of its sources, which the store makes all the same.
        "$out/bin/python" -m compileall -q --invalidation-mode unchecked-hash "$out"/lib/python*/site-packages || true
        runHook postBuild
      '';
      # Wheels stay as they were published, but for where a library finds libstdc++ and its like.
      dontStrip = true;
      dontPatchELF = true;
      meta.description = "The Python packages that uv.lock pins for ${package}";
    };
}
