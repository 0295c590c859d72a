import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'

/** MSW's two lines, under the names they are installed by. */
export type Line = 'msw' | 'msw3'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CACHE = 'node_modules/.cache/pet-sandbox'

/** A page's script. */
export interface Bundle {
  /** Files by their names; the script's own is the entry's, the others are imported by it. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The modules that are loaded before the script runs. */
  readonly modules: readonly string[]
}

/** Bundles a module of this folder for a page as a user's bundler does: what is imported late is a file of its own. */
export async function bundleForPage(entry: string, line: Line): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...optionsFor(entry, line),
    platform: 'browser',
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
  })

  return {
    files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    modules: modulesOf(`${CACHE}/${line}/${entry}.js`, metafile),
  }
}

/** Bundles a module of this folder for Node, packages left out, and gives the file's path. */
export async function bundleForNode(entry: string, line: Line): Promise<string> {
  await build({
    ...optionsFor(entry, line),
    platform: 'node',
    packages: 'external',
    outExtension: { '.js': '.mjs' },
  })
  return `${ROOT}${CACHE}/${line}/${entry}.mjs`
}

function optionsFor(entry: string, line: Line): BuildOptions & { format: 'esm' } {
  return {
    absWorkingDir: ROOT,
    entryPoints: [`src/testing/${entry}.ts`],
    outdir: `${CACHE}/${line}`,
    alias: { msw: line },
    bundle: true,
    format: 'esm',
    target: 'es2022',
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
