import { createAjv, isPattern } from './checks.ts'
import { type Document, placeOf, resolve, targetOf } from './document.ts'
import { endlessSchemas } from './endless.ts'
import { explain } from './explain.ts'
import { hintMistakes } from './hints.ts'
import type { Mistake } from './mistake.ts'
import { isNode, type Node, nodeOf, type Path } from './node.ts'
import { type Entry, instantOf, namesIn, operationsOf, schemasOf } from './operations.ts'
import { subschemasOf } from './schema.ts'

/** What is wrong with a document and not seen by OpenAPI's own schema. */
export function lint(document: Document): Mistake[] {
  return [...lintOperations(document), ...lintSchemas(document), ...endlessSchemas(document)]
}

function lintOperations(document: Document): Mistake[] {
  const entries = operationsOf(document)
  const templates = [...new Set(entries.map(({ template }) => template))]

  return [
    ...templates.flatMap((template) => malformedTemplate(template, document)),
    ...sameTemplates(templates, document),
    ...sameIds(entries, document),
    ...entries.flatMap((entry) => [
      ...undeclared(entry, document),
      ...unused(entry, document),
      ...deprecationMistakes(entry, document),
      ...responseMistakes(entry, document),
    ]),
  ]
}

function malformedTemplate(template: string, document: Document): Mistake[] {
  const names = namesIn(template)
  const place = placeOf(document, ['paths', template], 'key')
  if (/[{}]/.test(template.replaceAll(/\{[^{}]+\}/g, ''))) {
    const advice = 'Write each parameter as {name}.'
    return [{ why: `the braces of the path "${template}" do not fit together`, place, advice }]
  }
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice === undefined) return []

  return [
    { why: `the path "${template}" has {${twice}} twice`, place, advice: 'Rename one of them.' },
  ]
}

function sameTemplates(templates: readonly string[], document: Document): Mistake[] {
  const shape = (template: string): string => template.replaceAll(/\{[^{}]*\}/g, '{}')

  return templates.flatMap((template, index) => {
    const earlier = templates.slice(0, index).find((other) => shape(other) === shape(template))
    if (earlier === undefined) return []
    const place = placeOf(document, ['paths', template], 'key')
    const advice = 'Put their operations under one of the two.'

    return [{ why: `the paths "${earlier}" and "${template}" are the same`, place, advice }]
  })
}

function sameIds(entries: readonly Entry[], document: Document): Mistake[] {
  return entries.flatMap(({ operation: { operationId: id }, at }, index) => {
    const earlier = entries.slice(0, index).find(({ operation }) => operation.operationId === id)
    if (id === undefined || !earlier) return []
    const place = placeOf(document, [...at, 'operationId'])
    const owner = `${earlier.method} ${earlier.template}`
    const why = `the operationId "${String(id)}" is already that of ${owner}`

    return [{ why, place, advice: 'Give each operation its own.' }]
  })
}

function undeclared({ method, template, at, parameters }: Entry, document: Document): Mistake[] {
  const isDeclared = (name: string): boolean =>
    parameters.some(({ node }) => node.in === 'path' && node.name === name)
  const place = placeOf(document, at, 'key')

  return namesIn(template)
    .filter((name) => !isDeclared(name))
    .map((name) => ({
      why: `${method} ${template} does not declare the parameter {${name}}`,
      place,
      advice: `Add a parameter with "name: ${name}" and "in: path".`,
    }))
}

function unused({ template, parameters }: Entry, document: Document): Mistake[] {
  const names = namesIn(template)

  return parameters
    .filter(({ node }) => node.in === 'path' && !names.includes(String(node.name)))
    .map(({ node, at }) => ({
      why: `the path "${template}" has no {${String(node.name)}}`,
      place: placeOf(document, [...at, 'name']),
      advice:
        names.length > 0
          ? `It has ${names.map((name) => `{${name}}`).join(', ')}.`
          : 'Remove the parameter.',
    }))
}

function deprecationMistakes({ operation, at }: Entry, document: Document): Mistake[] {
  const notice = operation['x-deprecation']
  const path = [...at, 'x-deprecation']
  if (notice === undefined) return []
  if (!isNode(notice)) {
    const advice = 'Write a map with "date", "sunset" and "successor".'
    return [{ why: '"x-deprecation" is no map', place: placeOf(document, path), advice }]
  }
  const dates = ['date', 'sunset'].filter(
    (key) => notice[key] !== undefined && instantOf(notice[key]) === undefined,
  )
  const mistakes = dates.map((key) => ({
    why: `"${key}" is no date: ${JSON.stringify(notice[key])}`,
    place: placeOf(document, [...path, key]),
    advice: 'Write it as 2030-12-05 or 2030-12-05T00:00:00Z.',
  }))
  if (notice.successor === undefined || typeof notice.successor === 'string') return mistakes
  const place = placeOf(document, [...path, 'successor'])

  return [
    ...mistakes,
    { why: '"successor" is no address', place, advice: 'Write a path, as /books.' },
  ]
}

function responseMistakes({ operation, at }: Entry, document: Document): Mistake[] {
  return Object.entries(nodeOf(operation.responses)).flatMap(([status, response]) =>
    hintMistakes('response', resolve(document, response), [...at, 'responses', status], document),
  )
}

function lintSchemas(document: Document): Mistake[] {
  const seen = new Set<unknown>()
  const mistakes: Mistake[] = []
  const ajv = createAjv()
  // OpenAPI 3.0 has its own dialect, which the parser has checked already.
  const isDialectChecked = String(document.root.openapi).startsWith('3.0')

  function look(schema: unknown, at: Path, isRoot: boolean): void {
    if (seen.has(schema)) return
    if (isRoot && !isDialectChecked) mistakes.push(...schemaMistakes(schema, at, document, ajv))
    if (!isNode(schema)) return
    seen.add(schema)
    mistakes.push(...patternMistakes(schema, at, document))
    mistakes.push(...hintMistakes('schema', schema, at, document))
    for (const [inner, path] of subschemasOf(schema)) look(inner, [...at, ...path], false)
    const target = targetOf(document, schema)
    if (target) look(target.value, target.path, true)
  }

  for (const [schema, at] of schemasOf(document)) look(schema, at, true)

  return mistakes
}

const DIALECTS = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
]

/** What is wrong with a schema by JSON Schema 2020-12. A schema of another dialect cannot be judged, and is refused. */
function schemaMistakes(
  schema: unknown,
  at: Path,
  document: Document,
  ajv: ReturnType<typeof createAjv>,
): Mistake[] {
  const { $schema: dialect, ...rest } = nodeOf(schema)
  if (dialect !== undefined && !DIALECTS.includes(String(dialect).replace(/#$/, ''))) {
    const why = `"$schema" is of a dialect that is not supported: ${JSON.stringify(dialect)}`
    const advice = `Leave it out, or write ${DIALECTS[0]}.`
    return [{ why, place: placeOf(document, [...at, '$schema']), advice }]
  }
  const isValid = ajv.validateSchema(isNode(schema) ? rest : (schema as boolean))

  return isValid ? [] : explain(ajv.errors ?? [], document, at)
}

function patternMistakes(schema: Node, at: Path, document: Document): Mistake[] {
  const patterns: [unknown, Path, 'key' | 'value'][] = [
    [schema.pattern, ['pattern'], 'value'],
    ...Object.keys(nodeOf(schema.patternProperties)).map((key): [string, Path, 'key'] => [
      key,
      ['patternProperties', key],
      'key',
    ]),
  ]

  return patterns
    .filter(([pattern]) => typeof pattern === 'string' && !isPattern(pattern))
    .map(([pattern, path, part]) => ({
      why: `"${String(pattern)}" is no regular expression`,
      place: placeOf(document, [...at, ...path], part),
      advice: 'Correct it, or escape what is meant literally with a backslash.',
    }))
}
