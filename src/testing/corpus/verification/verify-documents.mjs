// `npm run corpus -- --verify`: what `pet-sandbox verify` finds at the sandbox of the same document.
import { writeFile } from 'node:fs/promises'
import { start, stop } from '../../bench/server.mjs'
import { causesOf } from '../figures.mjs'
import { readDocument } from '../openapi/read-document.mjs'
import { basePathOf, sandboxOf } from '../servers.mjs'
import { share } from '../tables.mjs'
import { runVerify } from './run-verify.mjs'

const PROBE = { path: '/', headers: {} }

/** Prints a line for each document, the commonest findings, and the share of operations that were exercised. */
export async function verifyDocuments(documents, { port, trace }) {
  const results = []
  for (const [at, document] of documents.entries()) {
    const result = await verifyOne(document, port).catch(({ message }) => ({ unusable: message }))
    console.log(`${at + 1}/${documents.length} ${document.id}: ${toLine(result)}`)
    results.push({ document: document.id, ...result })
  }
  const findings = results.flatMap(({ document, findings: list = [] }) =>
    list.map((finding) => ({ document, name: finding.id, fault: faultOf(finding), finding })),
  )
  if (trace) await writeFile(trace, results.map((one) => `${JSON.stringify(one)}\n`).join(''))
  printCauses(findings)
  const reasons = results.flatMap(({ document, unusable }) =>
    unusable === undefined
      ? []
      : [{ document, name: '', fault: { kind: 'not verified', detail: unusable } }],
  )
  printCauses(reasons)
  printTotals(results, findings)
}

async function verifyOne({ file }, port) {
  const document = await readDocument(file)
  const { operations } = document
  if (operations.length === 0) return { checks: 0, findings: [], exercised: 0, of: 0 }
  const { child, url } = await start(sandboxOf(file), port, PROBE)
  try {
    return await runVerify(url + basePathOf(document), file, operations)
  } finally {
    await stop(child)
  }
}

function toLine({ unusable, checks, findings, exercised, of }) {
  if (unusable !== undefined) return `not verified: ${unusable.replace(/\s+/g, ' ').slice(0, 160)}`
  return `${findings.length} findings of ${checks} checks, ${exercised} of ${of} operations exercised`
}

/** Findings of all operations are grouped by the promise, such as `served` or `400/body`, which follows the operation in the id. */
function faultOf({ id, operation, expected, received }) {
  const promise = operation === undefined ? id : id.slice(operation.length + 1)
  return { kind: promise, detail: `expected ${expected}, got ${received}` }
}

function printCauses(findings) {
  for (const { kind, count, causes } of causesOf(findings)) {
    console.log(`  ${String(count).padStart(5)} ${kind}`)
    for (const { text, count: times, example } of causes)
      console.log(`        ${times} ${text}   (${example.document}: ${example.name})`)
  }
}

function printTotals(results, findings) {
  const verified = results.filter(({ unusable }) => unusable === undefined)
  const sum = (field) => verified.reduce((total, one) => total + one[field], 0)
  const clean = verified.filter((one) => one.findings.length === 0).length
  console.log(
    `\n${verified.length} of ${results.length} documents verified, ${clean} without a finding`,
  )
  console.log(`${findings.length} findings of ${sum('checks')} checks`)
  console.log(`operations exercised: ${share({ ok: sum('exercised'), of: sum('of') })}`)
}
