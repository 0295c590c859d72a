// Compares one document with its printed hints. Runs in a process of its own, because contracts of large documents are large:
// node compare-document.mjs <document> <overlay> <requests>. Prints the result as JSON.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readDocument } from '../openapi/read-document.mjs'
import { planRequests } from '../requests/plan-requests.mjs'
import { basePathOf } from '../servers.mjs'
import { findDifferences } from './find-differences.mjs'

const [file, overlay, limit] = process.argv.slice(2)
const built = (name) => import(pathToFileURL(resolve(`dist/${name}.js`)).href)
// The mistakes of the document are no differences.
console.warn = () => undefined
const [{ loadContract }, { createSandbox }, { createControl }] = await Promise.all(
  ['load', 'index', 'control'].map(built),
)
const inferred = await loadContract(file)
const hinted = await loadContract(file, { overlays: [overlay], inference: false })
const requests = await plannedRequests()
const differences = await findDifferences({ inferred, hinted }, requests, {
  createSandbox,
  createControl,
})
const stateful = inferred.operations.filter(({ hints }) => hints && hints.action !== 'stateless')
const counts = { operations: inferred.operations.length, stateful: stateful.length }
process.stdout.write(JSON.stringify({ ...counts, requests: requests.length, differences }))
process.exit()

async function plannedRequests() {
  const document = await readDocument(file)
  return planRequests(document, Number(limit)).samples.map(({ operation, request }) => ({
    ...request,
    path: basePathOf(operation) + request.path,
  }))
}
