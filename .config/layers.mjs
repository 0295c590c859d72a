// The layers of src/, and the check that every import respects them, also between the folders of a room. Part of `npm run lint`.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'

/**
 * The rooms of src/, from the top. A file imports from its own room and from those below it, type imports too. `packages`
 * are the packages that the room may import; `node` lets it import Node's modules. The engine, from `sandbox` down, has
 * neither. `rooms` are the only other rooms that the room may import.
 */
const ROOMS = [
  {
    name: 'cli',
    node: true,
    packages: ['@faker-js/faker', 'commander', 'express', 'jiti', 'prom-client', 'vite'],
  },
  // What the build writes into src/generated.
  { name: 'codegen', packages: ['ajv'] },
  // The page, which is browser code. It talks to a sandbox through `client` only. From the other rooms it has pure functions.
  {
    name: 'dashboard',
    packages: ['preact'],
    rooms: [
      'client',
      'report',
      'forcing',
      'journal',
      'requests',
      'http',
      'time',
      'validation',
      'access',
      'contract',
    ],
  },
  { name: 'client', packages: ['eventsource-parser'] },
  { name: 'verify', packages: ['preact'] },
  { name: 'control' },
  { name: 'transports', node: true, packages: ['express', 'msw'] },
  // One sandbox on many servers. Nothing that keeps its state in memory imports it.
  { name: 'redis', node: true, packages: ['ioredis'] },
  { name: 'sandbox' },
  { name: 'engine' },
  // Webhooks and callbacks.
  { name: 'events' },
  // OAuth 2 and OpenID Connect.
  { name: 'sign-in', packages: ['jose'] },
  // The code of developers for operations.
  { name: 'handlers' },
  { name: 'forcing' },
  { name: 'report', packages: ['preact', 'vitest'] },
  { name: 'resources', packages: ['json-p3'] },
  // A valid request for an operation: values, serialisation, credentials, curl.
  { name: 'requests' },
  { name: 'responses' },
  {
    name: 'generate',
    packages: [
      '@faker-js/faker/locale/base',
      '@faker-js/faker/locale/en',
      'ajv-formats/dist/formats.js',
      'ret',
    ],
  },
  {
    name: 'document',
    node: true,
    packages: [
      '@apidevtools/swagger-parser',
      'ajv',
      'ajv-formats',
      'js-yaml',
      'json-p3',
      'jsonc-parser',
      'mdast-util-from-markdown',
      'openapi-types',
      'swagger2openapi',
      'yaml',
    ],
  },
  // Computes hints from paths and schemas.
  { name: 'inference' },
  { name: 'generated' },
  {
    name: 'contract',
    packages: ['@remix-run/multipart-parser', 'fast-xml-parser', 'lossless-json'],
  },
  { name: 'access' },
  { name: 'journal' },
  { name: 'records', packages: ['@mswjs/data', '@standard-schema/spec'] },
  { name: 'http' },
  { name: 'time' },
  { name: 'validation', packages: ['leven'] },
]

const SOURCES = 'src'
/** Tests import what they test. They stand beside the rooms, not in the layers. */
const TESTS = /\.test(-d)?\.tsx?$|^(testing|specification|security)\//

const floors = new Map(ROOMS.map((room, floor) => [room.name, { packages: [], ...room, floor }]))

/** What a file of src/ imports, also later, as it is written there. */
function specifiersIn(file) {
  const path = join(SOURCES, file)
  const text = readFileSync(path, 'utf8')
  const { module } = parseSync(path, text)
  const imported = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    // A specifier that starts with a variable is a file of a user.
    ...module.dynamicImports
      .map(({ moduleRequest: { start, end } }) => text.slice(start, end))
      .filter((specifier) => /^['"`](?!\$\{)/.test(specifier))
      .map((specifier) => specifier.slice(1, -1)),
  ]
  return [...new Set(imported)]
}

/** The files of src/ that a file imports. */
function importsOf(file) {
  return specifiersIn(file).flatMap((specifier) =>
    specifier.startsWith('.') ? relative(SOURCES, join(SOURCES, dirname(file), specifier)) : [],
  )
}

/** What is wrong with the imports of one file of src/, in lines of text. */
function mistakesIn(file) {
  const path = join(SOURCES, file)
  const room = floors.get(roomOf(file))
  if (!room && file.includes('/'))
    return [`${path} is in a room that .config/layers.mjs does not list.`]

  return specifiersIn(file).flatMap((specifier) => {
    const problem = specifier.startsWith('.')
      ? problemOfFile(room, relative(SOURCES, join(dirname(path), specifier)))
      : room && problemOfPackage(room, specifier)
    return problem ? [`${path} imports ${specifier}: ${problem}`] : []
  })
}

function problemOfFile(room, target) {
  const other = floors.get(roomOf(target))
  if (!other) return 'it is in no layer.'
  if (room && other.floor < room.floor) return `${other.name}/ is above ${room.name}/.`
  if (room?.rooms && other !== room && !room.rooms.includes(other.name))
    return `${room.name}/ may not import ${other.name}/.`
}

function problemOfPackage({ name, node, packages }, specifier) {
  if (specifier.startsWith('node:'))
    return node ? undefined : `${name}/ runs without Node's modules.`
  const isListed = packages.some((one) => specifier === one || specifier.startsWith(`${one}/`))
  return isListed ? undefined : `${name}/ may not import this package.`
}

/** What is wrong inside the rooms: folders, and files beside them, that import each other. */
function circles() {
  const imports = new Map()
  for (const file of files) {
    const part = partOf(file)
    const used = importsOf(file).flatMap((target) =>
      roomOf(target) === roomOf(file) && partOf(target) !== part ? partOf(target) : [],
    )
    imports.set(part, new Set([...(imports.get(part) ?? []), ...used]))
  }
  return [...imports.keys()].flatMap((part) => {
    const reached = new Set(imports.get(part))
    // A `for of` loop also visits what is added to the set during the loop.
    for (const one of reached) for (const next of imports.get(one) ?? []) reached.add(next)
    return reached.has(part)
      ? [`${SOURCES}/${part} imports what imports it: ${[...imports.get(part)].join(', ')}`]
      : []
  })
}

/** A folder of a room, or a file beside its folders. */
function partOf(file) {
  return file.split('/').slice(0, 2).join('/')
}

function roomOf(file) {
  return file.split('/')[0]
}

const files = readdirSync(SOURCES, { recursive: true })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !TESTS.test(file))
const mistakes = [...files.flatMap(mistakesIn), ...circles()]
for (const mistake of mistakes) console.error(mistake)
if (mistakes.length > 0) process.exitCode = 1
