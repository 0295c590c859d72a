import { createAjv, isPattern } from './checks.ts'
import { type Document, find, placeOf, resolve } from './document.ts'
import { explain } from './explain.ts'
import type { Mistake } from './mistake.ts'
import { isNode, type Node, nodeOf, type Path, pathOf, refOf } from './node.ts'
import { jsonContent, operationsOf } from './operations.ts'
import { subschemasOf } from './subschemas.ts'

/** What is wrong with the schemas of a document and not seen by OpenAPI's own schema. */
export function lintSchemas(document: Document): Mistake[] {
  const seen = new Set<unknown>()
  const mistakes: Mistake[] = []
  const ajv = createAjv()
  // OpenAPI 3.0 has its own dialect, which the parser has checked already.
  const isDialectChecked = String(document.root.openapi).startsWith('3.0')

  function lint(schema: unknown, at: Path, isRoot: boolean): void {
    if (seen.has(schema)) return
    if (isRoot && !isDialectChecked && !ajv.validateSchema(schema as Node)) {
      mistakes.push(...explain(ajv.errors ?? [], document, at))
    }
    if (!isNode(schema)) return
    seen.add(schema)
    mistakes.push(...patternMistakes(schema, at, document))
    for (const [inner, path] of subschemasOf(schema)) lint(inner, [...at, ...path], false)
    const ref = refOf(schema)
    const target = ref === undefined ? undefined : find(document, pathOf(ref))
    if (target) lint(target.value, target.path, true)
  }

  for (const [schema, at] of rootsOf(document)) lint(schema, at, true)

  return mistakes
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

function rootsOf(document: Document): [schema: unknown, at: Path][] {
  const { components } = document.root
  const named = Object.entries(nodeOf(nodeOf(components).schemas)).map(
    ([name, schema]): [unknown, Path] => [schema, ['components', 'schemas', name]],
  )
  const used = operationsOf(document).flatMap(({ operation, parameters, at }) => [
    ...parameters.map(({ node, at: place }): [unknown, Path] => [
      node.schema,
      [...place, 'schema'],
    ]),
    ...contentRoot(resolve(document, operation.requestBody), [...at, 'requestBody']),
    ...Object.entries(nodeOf(operation.responses)).flatMap(([status, response]) =>
      contentRoot(resolve(document, response), [...at, 'responses', status]),
    ),
  ])

  return [...named, ...used].filter(([schema]) => schema !== undefined)
}

function contentRoot({ content }: Node, at: Path): [unknown, Path][] {
  const json = jsonContent(content)

  return json ? [[json.media.schema, [...at, 'content', json.key, 'schema']]] : []
}
