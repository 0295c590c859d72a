// Generates a value for every schema of public documents, and prints how many are valid, how long it took, and how large they are.
// Run by hand with Node 24: node src/testing/corpus/generated-values.ts FOLDER [--trace FILE]
import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Contract, Schema, SchemaValidator } from '../../contract/contract.ts'
import { loadContract } from '../../document/load-contract.ts'
import { generateDocumentedValue } from '../../generate/generate-value.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

interface Sample {
  readonly place: string
  readonly schema: Schema
  readonly validate: SchemaValidator
}

interface Result {
  readonly isValid: boolean
  /** With the time that compiling the validators takes. */
  readonly firstMilliseconds: number
  readonly milliseconds: number
  readonly characters: number
}

const { values, positionals } = parseArgs({
  options: { trace: { type: 'string' } },
  allowPositionals: true,
})
const [folder] = positionals
if (folder === undefined) throw new Error('Name the folder of the documents.')
if (values.trace !== undefined) rmSync(values.trace, { force: true })

console.warn = () => undefined
const results: Result[] = []
for (const file of readdirSync(folder).sort()) {
  if (!/\.(json|ya?ml)$/.test(file) || file === 'manifest.json') continue
  const contract = await loadContract(join(folder, file))
  for (const sample of samplesOf(contract)) results.push(await generate(file, sample))
}
print(results)

/** The schemas of bodies, responses, headers and parameters, each once. */
function samplesOf({ operations }: Contract): readonly Sample[] {
  const samples = operations.flatMap(({ id, parameters, body, responses }) => [
    ...parameters.map((one) => ({ ...one, place: one.name })),
    ...(body ? [{ ...body, place: `${id} body` }] : []),
    ...responses.flatMap(({ status, schema, validate, headers = [] }) => [
      ...(schema && validate ? [{ schema, validate, place: `${id} ${status}` }] : []),
      ...headers.map((one) => ({ ...one, place: one.name })),
    ]),
  ])
  return [...new Map(samples.map((sample) => [sample.schema, sample])).values()]
}

async function generate(file: string, { place, schema, validate }: Sample): Promise<Result> {
  const request = { schema, validate, place, seed: [1], now: NOW }
  // The first time, validators are compiled, which takes longer than the generation.
  const firstStart = performance.now()
  await generateDocumentedValue(request)
  const firstMilliseconds = performance.now() - firstStart
  const start = performance.now()
  const { value, isValid, reason } = await generateDocumentedValue(request)
  const milliseconds = performance.now() - start
  const text = JSON.stringify(value) ?? ''
  if (values.trace !== undefined && (!isValid || milliseconds > 50)) {
    const shown = { file, place, isValid, reason, milliseconds, text: text.slice(0, 500) }
    appendFileSync(values.trace, `${JSON.stringify(shown)}\n`)
  }
  return { isValid, firstMilliseconds, milliseconds, characters: text.length }
}

function print(all: readonly Result[]): void {
  const valid = all.filter(({ isValid }) => isValid).length
  const largest = Math.max(...all.map(({ characters }) => characters))
  console.log(
    `${all.length} schemas, valid ${((100 * valid) / all.length).toFixed(2)} % (${all.length - valid} not)`,
  )
  console.log(`milliseconds: ${shares(all.map((one) => one.milliseconds))}`)
  console.log(`with compiling: ${shares(all.map((one) => one.firstMilliseconds))}`)
  console.log(`largest value: ${largest} characters`)
}

function shares(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((one, other) => one - other)
  const at = (share: number): string =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2)
  return `median ${at(0.5)}, p99 ${at(0.99)}, worst ${at(1)}`
}
