// `npm run corpus -- --hints`: whether the hints that `explain --hints` prints carry everything that inference finds. With them and
// `--no-inference`, bindings, first records and answers of a document must be the same.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const COMMAND = resolve('bin/pet-sandbox.js')
const COMPARE = fileURLToPath(new URL('compare-document.mjs', import.meta.url))
const RUN = { timeout: 180_000, maxBuffer: 256 * 1024 * 1024 }
const MAX_TEXT = 160
const MAX_SHOWN = 5

/** Prints a line for each document, and its first differences. The exit code is 1 unless all are the same. */
export async function compareDocuments(documents, { limit, trace }) {
  const results = []
  const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-hints-'))
  try {
    for (const [at, { id, file }] of documents.entries()) {
      const result = await compareOne(file, join(folder, 'hints.yaml'), limit).catch(unusable)
      console.log(`${at + 1}/${documents.length} ${id}: ${toLine(result)}`)
      for (const one of result.differences?.slice(0, MAX_SHOWN) ?? []) printDifference(one)
      results.push({ document: id, ...result })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  if (trace) await writeFile(trace, results.map((one) => `${JSON.stringify(one)}\n`).join(''))
  printTotals(results)
}

async function compareOne(file, overlay, limit) {
  await writeFile(overlay, await run([COMMAND, 'explain', file, '--hints']))
  return JSON.parse(await run([COMPARE, file, overlay, String(limit)]))
}

async function run(args) {
  const { stdout } = await promisify(execFile)(process.execPath, args, RUN)
  return stdout
}

function unusable({ killed, stderr, message }) {
  const text = killed ? `no result in ${RUN.timeout / 1000} s` : stderr?.trim() || message
  return { unusable: text.replace(/\s+/g, ' ').slice(0, MAX_TEXT) }
}

function toLine({ unusable: reason, operations, stateful, requests, differences }) {
  if (reason !== undefined) return `not compared: ${reason}`
  const counts = `${operations} operations, ${stateful} stateful, ${requests} requests`
  return `${counts}, ${differences.length === 0 ? 'the same' : `${differences.length} differences`}`
}

function printDifference({ kind, name, inferred, hinted }) {
  const [one, other] = [JSON.stringify(inferred) ?? '-', JSON.stringify(hinted) ?? '-']
  const at = Math.max(0, firstDifference(one, other) - MAX_TEXT / 4)
  console.log(`  ${kind} of ${name}`)
  console.log(`    inferred: ${one.slice(at, at + MAX_TEXT)}`)
  console.log(`    by hints: ${other.slice(at, at + MAX_TEXT)}`)
}

function firstDifference(one, other) {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

function printTotals(results) {
  const compared = results.filter(({ differences }) => differences)
  const sum = (field) => compared.reduce((total, one) => total + one[field], 0)
  const same = compared.filter(({ differences }) => differences.length === 0).length
  console.log(`\n${compared.length} of ${results.length} documents compared, ${same} are the same`)
  console.log(
    `${sum('operations')} operations, ${sum('stateful')} stateful, ${sum('requests')} requests`,
  )
  if (same < results.length) process.exitCode = 1
}
