import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'

/** The modules that only a page with MSW needs. Only they import `msw`. */
const MSW_MODULES = ['src/msw.ts', 'src/transports/msw.ts']

/** A CommonJS module of a production dependency. Bundlers would add their code for CommonJS to each file of a page. */
const BUNDLED = 'ajv-formats/dist/formats.js'

/** Replaces Node's own, with which Node loads its client for Fetch and HTTP/2. `@mswjs/data` extends it, and starts would wait. */
const MESSAGE_EVENT = 'src/records/message-event.ts'

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
  const inPage = once(() => reach(imports, resolve('src/msw.ts')))
  const inClient = once(() => reach(imports, resolve('src/client.ts')))
  const apart = new Set(MSW_MODULES.map((file) => resolve(file)))

  const forNode = await bundleForNode()
  const bundle = await rolldown({
    input: Object.fromEntries(faces.map((face) => [face, `src/${face}.ts`])),
    // For Node, rolldown would import `node:module` into the chunks of a page.
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'] },
    external: (id) =>
      id !== BUNDLED &&
      (id.startsWith('node:') || packages.some((name) => id === name || id.startsWith(`${name}/`))),
    transform: {
      target: 'node20',
      inject: { MessageEvent: [resolve(MESSAGE_EVENT), 'MessageEvent'] },
    },
    plugins: [
      {
        name: 'bundled-for-node',
        resolveId: (id) =>
          NODE_PACKAGES.includes(id) ? { id: `./${id}.js`, external: 'relative' } : undefined,
      },
      collectImports(imports),
      forBundlersOfPages(),
      escapesNonAscii(),
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
  await keepShared(output)

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
    plugins: [escapesNonAscii()],
    onLog: refuseWarning,
  })
  const { output } = await bundle.write({ dir: 'dist', format: 'esm', comments: { jsdoc: false } })
  await bundle.close()

  return output
}

/**
 * Adds an import of `core` to each chunk that is loaded later and uses `shared` without `core`. Otherwise, bundlers such as esbuild
 * would give a page two files in place of one, which compress worse.
 */
async function keepShared(output) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const core = output.find(({ name }) => name === 'core')
  const shared = output.find(({ name }) => name === 'shared')
  const imports = new Map(output.map(({ fileName, imports: own = [] }) => [fileName, own]))
  const later = reach(
    new Map(
      output.map((chunk) => [
        chunk.fileName,
        [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])],
      ]),
    ),
    core.fileName,
  )
  for (const fileName of later) {
    const chunk = chunks.get(fileName)
    const used = reach(imports, fileName)
    if (!chunk?.isDynamicEntry || !used.has(shared.fileName) || used.has(core.fileName)) continue
    await writeFile(join('dist', fileName), `import './${core.fileName}'\n${chunk.code}`)
  }
}

/** The modules that a module imports, directly or by other modules, without those that it loads later. */
function reach(imports, file) {
  const found = new Set([file])
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

const PAGE = 'src/dashboard/main.tsx'

/**
 * Bundles the page of the dashboard into `dist/dashboard`. Returns the modules that it contains.
 *
 * What the page loads at once is one file, and all other views are another: files of a few kilobytes for each view compress much
 * worse.
 */
export async function bundleDashboard() {
  const target = ['es2022', 'chrome123', 'firefox120', 'safari17.5']
  await mkdir('dist/dashboard', { recursive: true })
  const imports = new Map()
  const inPage = once(() => reach(imports, resolve(PAGE)))
  const scripts = await rolldown({
    input: { app: PAGE },
    platform: 'browser',
    transform: { target },
    plugins: [collectImports(imports)],
    onLog: refuseWarning,
  })
  const [{ output }, { metafile }] = await Promise.all([
    scripts.write({
      dir: 'dist/dashboard',
      format: 'esm',
      minify: true,
      comments: false,
      codeSplitting: {
        groups: [
          { name: 'page', priority: 2, test: (id) => inPage().has(id) },
          { name: 'views', priority: 1 },
        ],
      },
    }),
    build({
      entryPoints: [{ in: 'src/dashboard/styles/main.css', out: 'app' }],
      outdir: 'dist/dashboard',
      bundle: true,
      minify: true,
      target,
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
    }),
    copyFile('src/dashboard/index.html', 'dist/dashboard/index.html'),
  ])
  await scripts.close()

  return [
    ...output.flatMap(({ moduleIds = [] }) => moduleIds.map(toFile)),
    ...Object.keys(metafile.inputs),
  ]
}

/**
 * Puts `await import(…).then(…)` in parentheses where its result is destructured. A build with Vite 6 takes the names for those of the
 * imported file itself, and drops what `then` reads of it.
 */
function forBundlersOfPages() {
  return {
    name: 'for-bundlers-of-pages',
    generateBundle(_, output) {
      for (const chunk of Object.values(output)) {
        if (chunk.type === 'chunk') chunk.code = chunk.code.replace(DESTRUCTURED, '$1($2)')
      }
    },
  }
}

const DESTRUCTURED = /(\} = )(await import\([^)]+\)\.then\(\(n\) => n\.[\w$]+\))/g

/**
 * Writes characters outside ASCII as escapes. V8 keeps the text of a module, and needs two bytes for each of its characters once
 * one of them is not in Latin-1.
 */
function escapesNonAscii() {
  return {
    name: 'escapes-non-ascii',
    generateBundle(_, output) {
      for (const chunk of Object.values(output)) {
        if (chunk.type === 'chunk') chunk.code = chunk.code.replace(NON_ASCII, escaped)
      }
    },
  }
}

const NON_ASCII = /[^\0-\x7f]/g

function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Collects what each module imports at once. */
function collectImports(imports) {
  return {
    name: 'static-imports',
    buildEnd() {
      for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id).importedIds)
    },
  }
}
