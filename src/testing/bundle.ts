import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { installMsw3 } from './msw-3.ts'

/** MSW's two lines: a development dependency, and one that is installed on demand. */
export type MswVersion = 'msw' | 'msw3'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A page's script. */
export interface Bundle {
  /** Files by their names; the script's own is the entry's, the others are imported by it. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The modules that are loaded before the script runs. */
  readonly modules: readonly string[]
}

/** Bundles a module of this folder for a page as a user's bundler does: what is imported late is a file of its own. */
export async function bundleForPage(entry: string, line: MswVersion): Promise<Bundle> {
  const folder = await folderWithMsw(line)
  const { outputFiles, metafile } = await build({
    ...optionsFor(entry, folder),
    plugins: [mswFrom(folder)],
    platform: 'browser',
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
  })

  return {
    files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    modules: modulesOf(`${relative(ROOT, folder)}/bundles/${entry}.js`, metafile),
  }
}

/**
 * Bundles a module of this folder for Node, packages left out, and gives the file's path. From there Node finds the line of
 * MSW first, and every other package in the repository's own folder.
 */
export async function bundleForNode(entry: string, line: MswVersion): Promise<string> {
  const folder = await folderWithMsw(line)
  await build({
    ...optionsFor(entry, folder),
    platform: 'node',
    packages: 'external',
    outExtension: { '.js': '.mjs' },
  })
  return `${folder}/bundles/${entry}.mjs`
}

/** The folder that has the line of MSW in its `node_modules`, or above it. */
export async function folderWithMsw(line: MswVersion): Promise<string> {
  return line === 'msw3' ? installMsw3() : `${ROOT}node_modules/.cache/pet-sandbox`
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

/** Resolves `msw` as a module of the folder would, whoever imports it. */
function mswFrom(folder: string): Plugin {
  return {
    name: 'msw-from',
    setup(build) {
      build.onResolve({ filter: /^msw(\/|$)/ }, ({ path, kind, resolveDir }) =>
        resolveDir === folder ? undefined : build.resolve(path, { kind, resolveDir: folder }),
      )
    },
  }
}

/** The sources of an output and of all that it imports at once. */
function modulesOf(start: string, { outputs }: Metafile): string[] {
  const files = new Set([start])
  // A set that grows is walked to its new end.
  for (const file of files) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement') files.add(path)
    }
  }
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
}
