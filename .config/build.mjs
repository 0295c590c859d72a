// `npm run build`: generates the shipped contract, bundles the faces and the dashboard, writes the types of the faces.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import SwaggerParser from '@apidevtools/swagger-parser'
import { build } from 'esbuild'
import { parse } from 'yaml'
import { bundle, bundleDashboard } from './bundle.mjs'

const FACES = ['index', 'express', 'load', 'msw', 'vitest', 'vite', 'client', 'control', 'cli']

/** What the code of Ajv loads with `require`, by the expression. Modules that users compile contain it. */
const HELPERS = {
  'require("ajv/dist/runtime/ucs2length").default': 'ucs2length',
  'require("ajv/dist/runtime/equal").default': 'equal',
  'require("ajv-formats/dist/formats").fullFormats': 'fullFormats',
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const { checks, schema } = await generate()
await rm('dist', { recursive: true, force: true })
const [faces, page, types] = await Promise.allSettled([
  bundle(FACES),
  bundleDashboard(),
  declare(FACES),
])
const failures = [faces, page, types].filter(({ status }) => status === 'rejected')
if (failures.length > 0) {
  // tsc has already printed its errors.
  for (const { reason } of failures) console.error(reason.message)
  process.exit(1)
}
await copyFile('src/report/report.schema.json', 'dist/report.schema.json')
await copyFile('src/verify/output/verification.schema.json', 'dist/verification.schema.json')
await copyFile('src/cli/vite-client.d.ts', 'dist/vite-client.d.ts')
await writeFile('dist/x-sandbox.schema.json', schema)
await writeFile('dist/THIRD-PARTY.txt', await licences([...faces.value, ...page.value, ...checks]))

/**
 * Writes src/generated: the shipped contract, the fixtures, and the contract of the control interface. Returns the
 * modules that the validators contain, and the JSON Schema of hints.
 */
async function generate() {
  const helpers = await checkHelpers()
  await mkdir('src/generated', { recursive: true })
  await write('src/generated/check-helpers.ts', helpers.text)
  const { loadContract, editorSchema, generateContract, generateControl, generateSchemas } =
    await importTypeScript([
      './src/document/load-contract.ts',
      './src/document/hints/editor-schema.ts',
      './src/codegen/contract-module.ts',
      './src/codegen/control-module.ts',
      './src/codegen/contract-types.ts',
    ])
  const shipped = generateContract(await loadContract('openapi.yaml'))
  const control = generateControl(await loadContract('src/control/openapi.yaml'))
  const [checks, controlChecks] = await Promise.all([
    bundleChecks(shipped.checks),
    bundleChecks(control.checks),
  ])
  await Promise.all([
    write('src/generated/contract.ts', shipped.contract),
    write('src/generated/checks.js', checks.text),
    write('src/generated/checks.d.ts', shipped.checksTypes),
    write('src/generated/types.ts', shipped.types),
    write(
      'src/generated/schemas.ts',
      generateSchemas((await namedSchemas('openapi.yaml')).schemas),
    ),
    write('src/generated/control.ts', control.contract),
    write('src/generated/control-checks.js', controlChecks.text),
    write('src/generated/control-checks.d.ts', control.checksTypes),
    write('src/generated/control-types.ts', control.types),
    write('src/generated/control-document.ts', await documentModule('src/control/openapi.yaml')),
    write('src/generated/document.ts', await documentModule('openapi.yaml')),
    write('src/generated/fixtures.ts', await fixtures()),
    write('src/generated/package.ts', await version()),
  ])

  return {
    checks: [...checks.modules, ...controlChecks.modules, ...helpers.modules],
    schema: `${JSON.stringify(editorSchema(), null, 2)}\n`,
  }
}

/** Bundles the modules that Ajv's code loads with `require`. */
async function bundleChecks(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: '.', sourcefile: 'checks.js' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    write: false,
  })

  return { text: outputFiles[0].text, modules: Object.keys(metafile.inputs) }
}

/** The helpers of Ajv's code, each as a script that declares one variable. Returns the modules that they contain, too. */
async function checkHelpers() {
  const helpers = Object.entries(HELPERS).map(async ([expression, name]) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `module.exports = ${expression}`, resolveDir: '.' },
      bundle: true,
      minify: true,
      format: 'iife',
      globalName: name,
      target: 'es2022',
      metafile: true,
      write: false,
    })
    const text = outputFiles[0].text.trim()

    return { helper: { expression, name, text }, modules: Object.keys(metafile.inputs) }
  })
  const built = await Promise.all(helpers)
  const values = JSON.stringify(
    built.map(({ helper }) => helper),
    null,
    2,
  )
  const type = 'readonly { readonly [Field in "expression" | "name" | "text"]: string }[]'

  return {
    text: `/** The helpers of Ajv's code. */\nexport const helpers: ${type} = ${values}\n`,
    modules: built.flatMap(({ modules }) => modules),
  }
}

async function documentModule(file) {
  const document = JSON.stringify(parse(await readFile(file, 'utf8')))
  return `/** As JSON. */\nexport const document: string = ${JSON.stringify(document)}\n`
}

/** Bundles modules into one and imports it, because Node.js 20 does not run TypeScript. */
async function importTypeScript(modules) {
  const outfile = 'node_modules/.cache/pet-sandbox/build.mjs'
  const contents = modules.map((module) => `export * from '${module}'`).join('\n')
  const stdin = { contents, resolveDir: '.', loader: 'ts' }
  const shape = { bundle: true, format: 'esm', platform: 'node', packages: 'external' }
  await build({ ...shape, stdin, outfile })

  return import(pathToFileURL(outfile).href)
}

async function fixtures() {
  const scenarios = await shippedScenarios()
  const names = Object.keys(scenarios).map((name) => JSON.stringify(name))
  const name = `export type ScenarioName = ${names.join(' | ') || 'never'}\n`
  // A literal, so that the compiler checks it against the type of a scenario, which is in a layer above src/generated.
  const scenarioValues = `export const scenarios = ${JSON.stringify(scenarios, null, 2)} as const\n`

  return `${name}\n${scenarioValues}`
}

/** The shipped scenarios, by the names of their files. */
async function shippedScenarios() {
  const folder = 'fixtures/scenarios'
  const files = existsSync(folder) ? (await readdir(folder)).sort() : []
  const scenarios = files.filter((file) => file.endsWith('.yaml'))
  const entries = scenarios.map(async (file) => [
    basename(file, '.yaml'),
    parse(await readFile(join(folder, file), 'utf8')),
  ])

  return Object.fromEntries(await Promise.all(entries))
}

async function version() {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  return `export const version: string = ${JSON.stringify(version)}\n`
}

/** Writes a file only when its text changes, so that watchers do not run. */
async function write(file, text) {
  const old = await readFile(file, 'utf8').catch(() => undefined)
  if (old !== text) await writeFile(file, text)
}

/** The named schemas of a document, with their references resolved. The build writes types for them. */
async function namedSchemas(file) {
  const { info, components } = await SwaggerParser.dereference(file)
  return { title: info.title, schemas: components.schemas }
}

/** Checks the types, and writes the declarations of the faces and of the modules that they refer to. */
async function declare(names) {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  const args = [compiler, '--project', '.config/tsconfig.build.json']
  const code = await new Promise((end) =>
    spawn(process.execPath, args, { stdio: 'inherit' }).on('close', end),
  )
  if (code !== 0) throw new Error('The TypeScript compiler found errors.')

  const needed = new Set()
  const faces = names.map((face) => `dist/${face}.d.ts`)
  for (const file of faces.filter((face) => existsSync(face))) await follow(file, needed)
  const written = await readdir('dist', { recursive: true })
  const unused = written.filter((file) => file.endsWith('.d.ts') && !needed.has(join('dist', file)))
  await Promise.all(unused.map((file) => rm(join('dist', file))))
}

/** Collects a declaration file and all files that it imports. */
async function follow(file, found) {
  if (found.has(file)) return
  found.add(file)
  const text = await readFile(file, 'utf8')
  for (const [, target] of text.matchAll(/ from '(\.[^']*)\.ts'/g)) {
    await follow(join(dirname(file), `${target}.d.ts`), found)
  }
}

/** The licences of the packages that these modules belong to. */
async function licences(modules) {
  const folders = new Set(
    modules.flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  )
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(folder, 'package.json'), 'utf8'),
      )
      const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file
        ? await readFile(join(folder, file), 'utf8')
        : 'The package contains no licence text.'

      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    }),
  )

  return [...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`)
}
