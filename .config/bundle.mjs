import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

/** The modules that only a page with MSW needs. Only they import `msw`. */
const MSW_MODULES = ['src/msw.ts', 'src/transports/msw.ts', 'src/transports/ready-handlers.ts']

/** The development dependencies that only `src/document` loads, when it needs them. */
const NODE_PACKAGES = ['swagger2openapi']

/**
 * Bundles the faces with the development dependencies that they use, without production dependencies. Returns the modules
 * that `dist` contains.
 *
 * All that a page with MSW loads at once is in two chunks, because the bundler of a page splits along the files of `dist`, and
 * many small files compress worse. What the client uses of it is a chunk of its own, so that the client stays small.
 */
export async function bundle(faces) {
  const { dependencies, peerDependencies } = JSON.parse(await readFile('package.json', 'utf8'))
  const packages = Object.keys({ ...dependencies, ...peerDependencies })
  const imports = new Map()
  const inPage = once(() => reach(imports, 'src/msw.ts'))
  const inClient = once(() => reach(imports, 'src/client.ts'))
  const apart = new Set(MSW_MODULES.map((file) => resolve(file)))

  const forNode = await bundleForNode()
  const bundle = await rolldown({
    input: Object.fromEntries(faces.map((face) => [face, `src/${face}.ts`])),
    // For Node, rolldown would import `node:module` into the chunks of a page.
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'] },
    external: (id) =>
      id.startsWith('node:') || packages.some((name) => id === name || id.startsWith(`${name}/`)),
    transform: { target: 'node20' },
    plugins: [
      {
        name: 'bundled-for-node',
        resolveId: (id) =>
          NODE_PACKAGES.includes(id) ? { id: `./${id}.js`, external: 'relative' } : undefined,
      },
      {
        name: 'static-imports',
        buildEnd() {
          for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id).importedIds)
        },
      },
    ],
    onLog: refuseWarning,
  })
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    // Bundlers and licences need the other comments.
    comments: { jsdoc: false },
    codeSplitting: {
      groups: [
        { name: 'shared', priority: 2, test: (id) => inPage().has(id) && inClient().has(id) },
        { name: 'core', priority: 1, test: (id) => inPage().has(id) && !apart.has(id) },
      ],
    },
  })
  await bundle.close()

  return [...output, ...forNode].flatMap(({ moduleIds = [] }) => moduleIds.map(toFile))
}

/**
 * Bundles the development dependencies that need Node into files of their own. They are CommonJS and load Node's modules with
 * `require`, which a neutral bundle does not have.
 */
async function bundleForNode() {
  const bundle = await rolldown({
    input: Object.fromEntries(NODE_PACKAGES.map((name) => [name, name])),
    platform: 'node',
    onLog: refuseWarning,
  })
  const { output } = await bundle.write({ dir: 'dist', format: 'esm', comments: { jsdoc: false } })
  await bundle.close()

  return output
}

/** The modules that a module imports, directly or by other modules, without those that it loads later. */
function reach(imports, file) {
  const found = new Set([resolve(file)])
  // A `for of` loop also visits what is added to the set during the loop.
  for (const id of found) for (const imported of imports.get(id) ?? []) found.add(imported)

  return found
}

function once(compute) {
  let value
  return () => {
    value ??= compute()
    return value
  }
}

/** A warning stops the build: for example, rolldown leaves an import that it cannot resolve as it is. */
function refuseWarning(level, { message }) {
  if (level === 'warn') throw new Error(message)
}

/** The helpers of rolldown are part of what ships. */
function toFile(id) {
  return id.startsWith('\0rolldown/') ? `node_modules/${id.slice(1)}` : id
}
