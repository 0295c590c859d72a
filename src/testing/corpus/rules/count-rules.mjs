// `npm run corpus -- --rules`: in how many documents each named rule of inference decides something, and how often the example of a created
// record in the document has another value than the rule. Needs a Node.js that runs TypeScript.
import { propertiesOf, schemaAt } from '../../../contract/schema.ts'
import { loadDocument } from '../../../document/load-document.ts'
import { FILTER_RULES } from '../../../inference/filters.ts'
import { PUT_RULES } from '../../../inference/put-action.ts'
import { VALUE_RULES } from '../../../inference/value-rules.ts'

const KINDS = {
  'what a service sets': VALUE_RULES,
  filter: FILTER_RULES,
  PUT: PUT_RULES,
}

/** The rows of the table: `{ kind, name, documents, names, same, other }`. */
export async function countRules(documents, report = () => undefined) {
  const rows = Object.entries(KINDS).flatMap(([kind, rules]) =>
    rules.map((rule) => ({
      kind,
      rule,
      name: rule.name,
      in: new Set(),
      names: new Set(),
      same: 0,
      other: 0,
    })),
  )
  let current
  for (const row of rows) {
    const { infer } = row.rule
    row.rule.infer = (...given) => {
      const found = infer(...given)
      if (found === undefined || !current) return found
      row.names.add(`${current.id} ${given[0].name ?? given[0].text}`)
      row.in.add(current.id)
      if (row.kind === 'what a service sets') current.rules.set(given[0].name, row)
      return found
    }
  }
  const warn = console.warn
  console.warn = () => undefined
  for (const { id, file } of documents) {
    report(id)
    current = { id, rules: new Map() }
    await decideAll(file, current.rules).catch((error) => report(`  left out: ${error.message}`))
  }
  console.warn = warn
  current = undefined

  return rows.map(({ rule: _, in: where, names, ...row }) => {
    return { ...row, documents: where.size, names: names.size }
  })
}

/** Lets the rules decide all of a document, and compares them with its examples. */
async function decideAll(file, rules) {
  const { contract } = await loadDocument(file)
  for (const { hints, body, responses } of contract.operations) {
    if (!hints?.resource) continue
    const { values = {} } = contract.resources[hints.resource] ?? {}
    if (hints.action !== 'create') continue
    // The example of a response has what the example of its request has.
    const sent = propertiesOf(schemaAt(body?.schema ?? {}, hints.body ?? '') ?? {})
    const own = Object.entries(values).filter(([name]) => !sent.has(name))
    for (const example of examplesIn(responses))
      compare(recordAt(example, hints.record), own, rules)
  }
}

function examplesIn(responses) {
  const { examples = [], example } =
    responses.find(({ status }) => status < 300)?.content?.[0] ?? {}
  return [...examples.map(({ value }) => value), example].filter((one) => one !== undefined)
}

function recordAt(example, place = '') {
  const names = place.split('/').slice(1)
  return names.reduce((value, name) => Object(value)[name], example)
}

function compare(record, values, rules) {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return
  for (const [name, value] of values) {
    const row = rules.get(name)
    if (!row || !Object.hasOwn(record, name)) continue
    const verdict = agrees(value, record[name])
    if (verdict !== undefined) row[verdict ? 'same' : 'other'] += 1
  }
}

/** Whether an example has the value of a rule; `undefined` where any value is right, such as a time. */
function agrees(value, shown) {
  if (value === '{absent}') return shown === null || shown === ''
  if (/^\{count /.test(String(value))) return shown === 0
  if (/^\{/.test(String(value))) return undefined
  return JSON.stringify(value) === JSON.stringify(shown)
}

/** The rows as a table of the guide. */
export function rulesTable(rows, count) {
  const lines = rows.map(({ kind, name, documents, names, same, other }) => {
    const examples = same + other === 0 ? '–' : `${other} of ${same + other}`
    return `| ${kind} | ${name} | ${documents} | ${names} | ${examples} |`
  })
  return [
    `Counted in ${count} public documents. The last column says how many examples of new records in these documents have another value, of those that
have the property and whose request cannot name it.`,
    [
      '| of | rule | documents | names | examples against it |',
      '|---|---|---|---|---|',
      ...lines,
    ].join('\n'),
  ].join('\n\n')
}
