import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { installMsw3 } from './msw-3.ts'

/** The major versions of MSW: 2 is a development dependency, 3 is installed on demand. */
export type MswVersion = 2 | 3

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The script of a page. */
export interface Bundle {
  /** The files by name. The script has the name of the entry; it imports the others. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The modules that the browser loads before the script runs. */
  readonly modules: readonly string[]
}

/** Bundles a module of this folder for a page, as a user's bundler does: dynamic imports become separate files. */
export async function bundleForPage(entry: string, version: MswVersion): Promise<Bundle> {
  const folder = await folderWithMsw(version)
  const { outputFiles, metafile } = await build({
    ...optionsFor(entry, folder),
    plugins: [resolveMswFrom(folder)],
    platform: 'browser',
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
  })

  return {
    files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    modules: staticModules(`${relative(ROOT, folder)}/bundles/${entry}.js`, metafile),
  }
}

/**
 * Bundles a module of this folder for Node without its packages, and returns the path of the file. From there Node resolves
 * `msw` to the given version, and every other package to the repository's own.
 */
export async function bundleForNode(entry: string, version: MswVersion): Promise<string> {
  const folder = await folderWithMsw(version)
  await build({
    ...optionsFor(entry, folder),
    platform: 'node',
    packages: 'external',
    outExtension: { '.js': '.mjs' },
  })
  return `${folder}/bundles/${entry}.mjs`
}

/** A folder from which `msw` resolves to this version. */
export async function folderWithMsw(version: MswVersion): Promise<string> {
  return version === 3 ? installMsw3() : `${ROOT}node_modules/.cache/pet-sandbox`
}

function optionsFor(entry: string, folder: string): BuildOptions & { format: 'esm' } {
  return {
    absWorkingDir: ROOT,
    entryPoints: [`src/testing/${entry}.ts`],
    outdir: `${folder}/bundles`,
    bundle: true,
    format: 'esm',
    target: 'es2022',
  }
}

/** Resolves `msw` as a module in this folder does, for every importer. */
function resolveMswFrom(folder: string): Plugin {
  return {
    name: 'resolve-msw-from',
    setup(build) {
      build.onResolve({ filter: /^msw(\/|$)/ }, ({ path, kind, resolveDir }) =>
        resolveDir === folder ? undefined : build.resolve(path, { kind, resolveDir: folder }),
      )
    },
  }
}

/** The source modules of an output file and of its static imports. */
function staticModules(start: string, { outputs }: Metafile): string[] {
  const files = new Set([start])
  // A `for of` loop also visits what is added to the set during the loop.
  for (const file of files) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement') files.add(path)
    }
  }
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
}
