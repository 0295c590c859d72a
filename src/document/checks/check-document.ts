import { parsePointer } from '../../contract/schema.ts'
import { type Document, locationOf, walkRefs } from '../document.ts'
import type { Pointer } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { createSchemaGraph } from '../schemas/schema-graph.ts'
import type { SchemaMistake } from '../schemas/schema-mistake.ts'
import { validateExamples } from './validate-examples.ts'
import { findInfiniteRecursion, validateSchemas, walkSchemas } from './validate-schemas.ts'
import { validateStructure } from './validate-structure.ts'

/**
 * Finds the mistakes of a document that loading does not find: by OpenAPI's own schema, in all schemas and in examples. Takes
 * seconds for large documents. What would take longer is not checked, and the list says so.
 */
export async function checkDocument(
  document: Document,
): Promise<readonly (Mistake | SchemaMistake)[]> {
  const structure = await validateStructure(document).catch((error: unknown) => {
    if (error instanceof RangeError) return [tooLong(document)]
    throw error
  })

  return [
    ...structure,
    ...CHECKS.flatMap((validate) => inStack(document, () => validate(document))),
  ]
}

type Check = (document: Document) => readonly (Mistake | SchemaMistake)[]

const CHECKS: readonly Check[] = [
  validateReferences,
  validateSchemas,
  findInfiniteRecursion,
  validateUse,
]

/** Finds the keywords of schemas that cannot be used, and the examples that do not match their schemas. */
function validateUse(document: Document): readonly (Mistake | SchemaMistake)[] {
  const unusable: SchemaMistake[] = []
  const graph = createSchemaGraph(document, (mistake) => unusable.push(mistake))
  for (const { schema, isRoot } of walkSchemas(document)) {
    if (!isRoot) continue
    graph.schemaOf(schema, 'request')
    graph.schemaOf(schema, 'response')
  }
  const examples = validateExamples(document, graph)

  // Loops were found with the $ref that closes each of them.
  return [...unusable.filter(({ isLoop }) => !isLoop), ...examples]
}

/** The checks follow chains of `$ref`s recursively. A document may contain longer ones than the stack. */
function inStack(document: Document, validate: () => ReturnType<Check>): ReturnType<Check> {
  try {
    return validate()
  } catch (error) {
    if (error instanceof RangeError) return [tooLong(document)]
    throw error
  }
}

function tooLong({ sources }: Document): Mistake {
  return {
    reason: 'its $refs form chains that are too long to be checked',
    location: sources[0]?.name ?? '',
    assumed: 'they are correct',
    help: 'Refer to the last schema of a chain.',
  }
}

/** The kinds of objects that a `$ref` may stand for, by their name in `components`. */
const KINDS: Readonly<Record<string, string>> = {
  schemas: 'a schema',
  responses: 'a response',
  parameters: 'a parameter',
  examples: 'an example',
  requestBodies: 'a request body',
  headers: 'a header',
  securitySchemes: 'a security scheme',
  links: 'a link',
  callbacks: 'a callback',
  pathItems: 'a path item',
}

/** The kind of the value of each key of an object; `*` is any other key, and `[kind]` is a list or map of that kind. */
const CHILDREN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  document: { paths: '[pathItems]', webhooks: '[pathItems]', components: 'components' },
  components: Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, `[${kind}]`])),
  pathItems: { parameters: '[parameters]', additionalOperations: '[operation]', '*': 'operation' },
  operation: {
    parameters: '[parameters]',
    requestBody: 'requestBodies',
    responses: '[responses]',
    callbacks: '[callbacks]',
  },
  callbacks: { '*': 'pathItems' },
  parameters: { schema: 'schemas', content: '[media]', examples: '[examples]' },
  headers: { schema: 'schemas', content: '[media]', examples: '[examples]' },
  requestBodies: { content: '[media]' },
  responses: { headers: '[headers]', content: '[media]', links: '[links]' },
  media: { schema: 'schemas', examples: '[examples]', encoding: '[encoding]' },
  encoding: { headers: '[headers]' },
  // What is in a schema is a schema.
  schemas: { '*': 'schemas' },
}

/** Finds each `$ref` to a component of another kind than its place needs, such as a schema in a list of parameters. */
function validateReferences(document: Document): Mistake[] {
  const mistakes: Mistake[] = []
  walkRefs(document.root, ({ $ref }, pointer) => {
    if (typeof $ref !== 'string' || !$ref.startsWith('#/components/')) return
    const [, found = '', , ...more] = parsePointer($ref.slice(1))
    if (more.length > 0 || !Object.hasOwn(KINDS, found)) return
    const expected = kindAt(pointer())
    if (expected === undefined || expected === found || !Object.hasOwn(KINDS, expected)) return
    mistakes.push({
      reason: `the $ref must be to ${KINDS[expected]}, and not to ${KINDS[found]}`,
      location: locationOf(document, [...pointer(), '$ref'], 'value'),
      assumed: `what is there is read as ${KINDS[expected]}`,
      help: `Refer to an entry of "components.${expected}".`,
    })
  })
  return mistakes
}

/** The kind of the object at a place of a document; `undefined` where it is not known. */
function kindAt(pointer: Pointer): string | undefined {
  let kind: string | undefined = 'document'
  for (const key of pointer) {
    if (kind === undefined) return undefined
    if (kind.startsWith('[')) kind = kind.slice(1, -1)
    else {
      const children: Readonly<Record<string, string>> = CHILDREN[kind] ?? {}
      kind = Object.hasOwn(children, key) ? children[key] : children['*']
    }
  }
  return kind
}
