declare module '*/lean-data-library.mjs' {
  export const FAT: RegExp
  export function lean(source: string, path: string): string
}
