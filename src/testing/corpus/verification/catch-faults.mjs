// `npm run corpus -- --faults`: does `pet-sandbox verify` catch faults of a service?
import { writeFile } from 'node:fs/promises'
import { start, stop } from '../../bench/server.mjs'
import { evenly } from '../documents.mjs'
import { readDocument } from '../openapi/read-document.mjs'
import { SchemaValidator } from '../openapi/schema-validator.mjs'
import { basePathOf, sandboxOf } from '../servers.mjs'
import { startFaultProxy } from './fault-proxy.mjs'
import { FAULTS } from './faults.mjs'
import { runVerify } from './run-verify.mjs'

const DOCUMENTS = 20
/** Few documents declare headers that a response can break, so these come from among those that do. */
const WITH_HEADERS = 5
/** Documents with fewer operations have little to break, and those with more take long. */
const OPERATIONS = { least: 3, most: 30 }
const PROBE = { path: '/', headers: {} }
const none = () => undefined

/**
 * Runs `verify` through each fault with 20 documents, and prints for each whether it was caught. A fault is caught when `verify`
 * finds something that it does not find without the fault.
 */
export async function catchFaults(documents, { port, trace }) {
  const rows = []
  for (const { id, document, file } of await suitable(documents)) {
    const before = await verifyWith(none, { document, file, port })
    const outcomes = {}
    for (const [name, fault] of Object.entries(FAULTS))
      outcomes[name] = await outcomeOf(fault, { document, file, port, before })
    rows.push({ document: id, unusable: before.unusable, outcomes })
    console.log(`${id}: ${toLine(outcomes)}${before.unusable ? `, ${before.unusable}` : ''}`)
  }
  if (trace) await writeFile(trace, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  printTotals(rows)
}

async function suitable(documents) {
  const read = await Promise.all(
    documents.map(async (one) => ({ ...one, document: await readDocument(one.file).catch(none) })),
  )
  const fits = ({ length }) => length >= OPERATIONS.least && length <= OPERATIONS.most
  const fitting = read.filter(({ document }) => document && fits(document.operations))
  const withHeaders = evenly(fitting.filter(hasHeaders), WITH_HEADERS)
  const others = fitting.filter((one) => !withHeaders.includes(one))
  return [...evenly(others, DOCUMENTS - withHeaders.length), ...withHeaders]
}

/** Whether a header of a success is required, or is no text. */
function hasHeaders({ document }) {
  return document.operations
    .flatMap(({ responses }) => [...responses])
    .filter(([status]) => status.startsWith('2'))
    .some(([, { headers = [] }]) => headers.some(isBreakable))
}

function isBreakable({ required, schema, type = schema?.type }) {
  return required || ['integer', 'number', 'boolean'].includes(type)
}

/** `caught`, `missed`, or `–` where no response could have the fault. */
async function outcomeOf(fault, { before, ...context }) {
  const after = await verifyWith(fault, context)
  if (after.applied === 0) return '–'
  if (after.unusable !== undefined) return before.unusable === undefined ? 'caught' : 'missed'
  const known = new Set(before.findings?.map(({ id }) => id))
  return after.findings.some(({ id }) => !known.has(id)) ? 'caught' : 'missed'
}

async function verifyWith(fault, { document, file, port }) {
  const { root, operations } = document
  const { child } = await start(sandboxOf(file), port, PROBE)
  const validator = new SchemaValidator(root, 'response')
  const settings = { port: port + 1, target: port, operations, validator, fault }
  const proxy = await startFaultProxy(settings)
  try {
    const url = `http://127.0.0.1:${port + 1}${basePathOf(document)}`
    const result = await runVerify(url, file, operations)
    return { ...result, applied: proxy.applied() }
  } finally {
    await proxy.close()
    await stop(child)
  }
}

function toLine(outcomes) {
  const named = (wanted) => Object.keys(outcomes).filter((name) => outcomes[name] === wanted)
  const missed = named('missed')
  const list = missed.length > 0 ? `, missed: ${missed.join(', ')}` : ''
  return `${named('caught').length} caught, ${named('–').length} do not apply${list}`
}

function printTotals(rows) {
  console.log('')
  for (const name of Object.keys(FAULTS)) {
    const outcomes = rows.map((row) => row.outcomes[name])
    const count = (wanted) => outcomes.filter((one) => one === wanted).length
    const applied = rows.length - count('–')
    console.log(`${name.padEnd(30)} caught in ${count('caught')} of ${applied} documents`)
  }
}
