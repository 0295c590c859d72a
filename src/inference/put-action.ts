import type { Operation, Schema } from '../contract/contract.ts'
import { plainName, propertiesOf, requiredNames } from '../contract/schema.ts'

/** What is known about a PUT on a record. */
export interface PutContext {
  /** The name, the summary and the description of the operation. */
  readonly text: string
  /** Whether a PATCH is on the same path. */
  readonly hasPatch: boolean
  /** The schema of the record in the request; absent when the request contains none. */
  readonly sent: Schema | undefined
  /** The schema of the record in the request that creates one. */
  readonly created: Schema | undefined
}

/** A rule about what a PUT does to the record. The first one that says something decides. */
interface PutRule {
  readonly name: string
  readonly infer: (context: PutContext) => 'replace' | 'update' | undefined
}

const SAYS_PART =
  /\bpartial|\bmerged?\b|\bonly\b[^.]{0,40}\b(field|propert|attribute|parameter|value)|\b(un(changed|touched|modified|affected)|retained|preserved)\b|\bnot\b[^.]{0,40}\bignored\b/i
const SAYS_WHOLE =
  /\breplac(e|es|ed|ing|ement)\b|\boverwrit|\b(full|complete) (update|representation|object)|\bfully\b|\bentire|\bwhole\b/i
/** What leaves out a property takes it back. */
const SAYS_REMOVED =
  /\b(not|omitted|omitting|missing|unspecified)\b[^.]{0,60}\b(removed?|removes|deleted?|reset|cleared|default|null)\b/i

/** Who edits something leaves the rest of it as it is. */
const SAYS_EDIT = /\bedits?\b/i

export const PUT_RULES: readonly PutRule[] = [
  {
    name: 'text of a removal',
    infer: ({ text }) => (SAYS_REMOVED.test(text) ? 'replace' : undefined),
  },
  {
    name: 'text of a part',
    infer: ({ text }) => (SAYS_PART.test(text) ? 'update' : undefined),
  },
  {
    name: 'patch',
    infer: ({ hasPatch }) => (hasPatch ? 'replace' : undefined),
  },
  {
    name: 'text of the whole',
    infer: ({ text, sent }) =>
      sentencesOfWhole(text, sent).some((one) => SAYS_WHOLE.test(one)) ? 'replace' : undefined,
  },
  {
    name: 'less than a creation',
    infer: ({ sent, created }) =>
      sent && created && requiresLess(sent, created) ? 'update' : undefined,
  },
  {
    name: 'text of an edit',
    infer: ({ text }) =>
      sentencesIn(text)
        .slice(0, FIRST_SENTENCES)
        .some((one) => SAYS_EDIT.test(one))
        ? 'update'
        : undefined,
  },
  {
    name: 'the same as a creation',
    infer: ({ sent, created }) =>
      sent && created && hasNamesOf(sent, created) ? 'replace' : undefined,
  },
]

/** What a PUT does to the record: it replaces the record, or changes what the request has of it, also where nothing says that. */
export function putActionOf(context: PutContext): 'replace' | 'update' {
  return knownPutAction(context) ?? 'update'
}

/** What the document says that a PUT does to the record; `undefined` when nothing tells. */
export function knownPutAction(context: PutContext): 'replace' | 'update' | undefined {
  for (const { infer } of PUT_RULES) {
    const action = infer(context)
    if (action) return action
  }
  return undefined
}

/** The sentences of a text that are about the whole record: the first ones, and those that name no property which a request has. */
function sentencesOfWhole(text: string, sent: Schema = {}): readonly string[] {
  const names = [...propertiesOf(sent).keys()].map(plainName)
  return sentencesIn(text).filter((sentence, at) => {
    const words = new Set((sentence.match(/[\w-]+/g) ?? []).map(plainName))
    return at < FIRST_SENTENCES || !names.some((name) => words.has(name))
  })
}

function sentencesIn(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+/)
}

/** The name of the operation, and its summary. */
const FIRST_SENTENCES = 2

/** Records may be in an object, such as the `attributes` of JSON:API: their properties count, and no deeper ones. */
const MAX_DEPTH = 1

/** Whether a request may leave out what a creation needs. */
function requiresLess(sent: Schema, created: Schema, depth = 0): boolean {
  const [names, required] = [propertiesOf(sent), requiredNames(sent)]
  return (
    [...requiredNames(created)].some((name) => names.has(name) && !required.has(name)) ||
    partsOf(sent, created, depth).some((parts) => requiresLess(...parts, depth + 1))
  )
}

function hasNamesOf(sent: Schema, created: Schema, depth = 0): boolean {
  const [names, others] = [propertiesOf(sent), propertiesOf(created)]
  return (
    names.size === others.size &&
    [...names.keys()].every((name) => others.has(name)) &&
    partsOf(sent, created, depth).every((parts) => hasNamesOf(...parts, depth + 1))
  )
}

/** The object that is all of a request, and that of a creation. */
function partsOf(sent: Schema, created: Schema, depth: number): [sent: Schema, created: Schema][] {
  const others = propertiesOf(created)
  const objects = [...propertiesOf(sent)].flatMap(([name, schema]): [Schema, Schema][] => {
    const other = others.get(name)
    return other && propertiesOf(schema).size > 0 ? [[schema, other]] : []
  })
  return depth < MAX_DEPTH && objects.length === 1 ? objects : []
}

/** The request that creates the records of a collection: that of a POST, else a PUT that can add a record. */
export function creationOf(
  collection: readonly Operation[],
  put: Operation,
): Operation | undefined {
  const post = collection.find(({ method, body }) => method === 'POST' && body)
  return post ?? (put.responses.some(({ status }) => status === CREATED) ? put : undefined)
}

const CREATED = 201
