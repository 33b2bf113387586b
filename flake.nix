{
  description = "A reproducible lab for serialization formats";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      # What nix/ gives for a system; the commit goes into every run's provenance. An uncommitted tree is recorded as
      # such. With --override-input for nixpkgs, Nix tells no commit, and none is recorded.
      wirelab = nixpkgs.lib.genAttrs systems (
        system:
        import ./nix {
          pkgs = nixpkgs.legacyPackages.${system};
          revision = self.rev or self.dirtyRev or null;
        }
      );
      # Intel Macs, by the name where `nix run` looks last and `nix flake check` does not look.
      absent = throw "Wirelab has nothing for x86_64-darwin: nixpkgs builds for Intel Macs for the last time in 26.05, until the end of 2026, and measured libraries have no wheels for them any more. On an Intel Mac take the lab without Nix: ./lab bench";
      outputs = name: builtins.mapAttrs (_: outputs: outputs.${name}) wirelab;
    in
    # Before nixpkgs, which refuses it too, is downloaded.
    if builtins.compareVersions builtins.nixVersion "2.18" < 0 then
      throw "The flake needs Nix 2.18 or later, and this is ${builtins.nixVersion}. Upgrade it, or take the lab without Nix: ./lab bench"
    else
      {
        packages = outputs "packages";
        apps = outputs "apps";
        checks = outputs "checks";
        devShells = outputs "devShells";
        formatter = outputs "formatter";
        legacyPackages.x86_64-darwin = nixpkgs.lib.genAttrs [
          "bench"
          "default"
          "image"
          "lab"
          "report"
          "runners"
          "table"
          "test"
        ] (_: absent);
      };
}
