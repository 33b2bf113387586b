# Cargo's graph of the Rust workspace, as far as its edges are paths, and what of Cargo.lock its runners need.
{ lib, workspace }:
let
  root = lib.importTOML (workspace + "/Cargo.toml");
  tables = [
    "features"
    "dependencies"
    "build-dependencies"
    "target"
  ];
  # Without dev-dependencies, which Cargo would look for.
  manifest =
    folder:
    let
      whole = lib.importTOML (folder + "/Cargo.toml");
      without = table: removeAttrs table [ "dev-dependencies" ];
    in
    without whole
    // lib.optionalAttrs (whole ? target) { target = lib.mapAttrs (_: without) whole.target; };

  # Name → what the tables of a manifest say of it: [ { name, value } ].
  dependenciesOf =
    manifest:
    lib.concatMap (
      table:
      lib.mapAttrsToList lib.nameValuePair (table.dependencies or { })
      ++ lib.mapAttrsToList lib.nameValuePair (table.build-dependencies or { })
    ) ([ manifest ] ++ lib.attrValues (manifest.target or { }));
  # The folders that the manifest of a crate names, itself or by [workspace.dependencies].
  pathsOf =
    folder: manifest:
    lib.concatMap (
      { name, value }:
      let
        shared = root.workspace.dependencies.${name};
      in
      if value ? path then
        [ (folder + "/${value.path}") ]
      else
        lib.optional (value.workspace or false && shared ? path) (workspace + "/${shared.path}")
    ) (dependenciesOf manifest);
  # These folders, and those of all that their crates are built from.
  closure =
    folders:
    let
      crate = folder: {
        inherit folder;
        key = toString folder;
      };
    in
    map (crate: crate.folder) (
      builtins.genericClosure {
        startSet = map crate folders;
        operator = { folder, ... }: map crate (pathsOf folder (manifest folder));
      }
    );

  foldersIn =
    part:
    map (name: workspace + "/${part}/${name}") (
      lib.attrNames (builtins.readDir (workspace + "/${part}"))
    );
  # Every crate that a runner may be built from.
  members = closure (foldersIn "codecs" ++ foldersIn "libraries");
  relative = folder: lib.removePrefix "${toString workspace}/" (toString folder);

  # PATH/Cargo.toml → what is in it, for a workspace of these manifests alone ({ PATH = …; }): a dependency that another
  # codec has is not in it.
  workspaceOf =
    manifests:
    let
      shared = lib.concatMap (
        manifest:
        map (one: one.name) (lib.filter (one: one.value.workspace or false) (dependenciesOf manifest))
      ) (lib.attrValues manifests);
    in
    lib.mapAttrs' (path: lib.nameValuePair "${path}/Cargo.toml") manifests
    // {
      "Cargo.toml" = root // {
        workspace = removeAttrs root.workspace [ "default-members" ] // {
          members = lib.attrNames manifests;
          dependencies = lib.getAttrs (lib.unique shared) root.workspace.dependencies;
        };
      };
    };
  manifestsOf =
    folders:
    lib.listToAttrs (map (folder: lib.nameValuePair (relative folder) (manifest folder)) folders);

  # Cargo.lock as far as the runners need it.
  whole = lib.importTOML (workspace + "/Cargo.lock");
  packagesNamed = lib.groupBy (package: package.name) whole.package;
  # An edge names its package, with the version where there are several.
  packageOf =
    edge:
    let
      words = lib.splitString " " edge;
      candidates = packagesNamed.${lib.head words} or [ ];
    in
    lib.findFirst (
      package: lib.length words == 1 || package.version == lib.elemAt words 1
    ) null candidates;
  edgesOf =
    package:
    let
      own = lib.findFirst (folder: (manifest folder).package.name == package.name) null members;
      # Cargo.lock doesn't tell which of a member's edges are for its tests.
      names = map ({ name, value }: value.package or name) (dependenciesOf (manifest own));
      isNeeded = edge: package ? source || lib.elem (lib.head (lib.splitString " " edge)) names;
    in
    lib.filter isNeeded (package.dependencies or [ ]);
  lock = whole // {
    package = map (item: item.package) (
      builtins.genericClosure {
        # Cargo adds a member that its lock file doesn't have yet.
        startSet = map item (
          lib.filter (package: package != null) (
            map (folder: packageOf (manifest folder).package.name) members
          )
        );
        operator = { package, ... }: map (edge: item (packageOf edge)) package.dependencies;
      }
    );
  };
  item = package: {
    key = "${package.name} ${package.version}";
    package = package // {
      dependencies = edgesOf package;
    };
  };
in
{
  inherit
    closure
    lock
    manifest
    manifestsOf
    pathsOf
    root
    tables
    workspaceOf
    ;
  isLibrary = folder: baseNameOf (dirOf folder) == "libraries";
}
