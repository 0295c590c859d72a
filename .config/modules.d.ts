/// <reference types="vite/types/importMeta.d.ts" />

declare module '*/install-on-demand.mjs' {
  export function installOnDemand(
    name: string,
    packages: Readonly<Record<string, string>>,
  ): Promise<string>
}

declare module 'semver' {
  export class Range {
    constructor(range: string)
  }
  export function minVersion(range: Range): { readonly version: string } | null
  export function satisfies(version: string, range: string): boolean
}
