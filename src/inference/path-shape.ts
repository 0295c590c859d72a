import { onceByText } from '../validation/objects.ts'

/** What a path template says about records. */
export interface PathShape {
  /** The path without a slash or the name of a format at its end: `/books.json/` is `/books`. */
  readonly path: string
  /** The path of the collection, if the path leads to one of its records: `/books` of `/books/{bookId}`. */
  readonly stem?: string
  /** The path parameter at the end, such as `bookId`. */
  readonly parameter?: string
}

const ENDING = /(\.(json|xml))?\/?$/
const LAST_PARAMETER = /^(.*)\/\{([^{}/]+)\}$/

export const shapeOf: (template: string) => PathShape = onceByText((template) => {
  const path = template.replace(ENDING, '')
  const [, stem, parameter] = LAST_PARAMETER.exec(path) ?? []

  return stem === undefined || parameter === undefined ? { path } : { path, stem, parameter }
})

/** What collections of callers are called. */
export const CALLERS: RegExp =
  /^(users?|accounts?|members?|people|persons?|profiles?|customers?|employees?|players?|developers?|agents?)$/i

/** What people are to a record. */
export const ROLE: RegExp =
  /^(owner|creator|author|user|member|follower|assignee|reporter|reviewer|approver|submitter|uploader|requester|sender|recipient|actor|lead|manager|participant|collaborator)s?$|^\w*(ed|sent)(by|to)$|^accessibleby$/

/** Words with the abbreviations of them that paths and properties have. */
const ABBREVIATIONS: readonly (readonly string[])[] = [
  'organization org',
  'organisation org',
  'repository repo',
  'environment env',
  'application app',
  'document doc',
  'configuration config',
  'subscription sub',
  'category cat',
  'department dept dep',
  'account acct acc',
  'project proj',
  'transaction txn tx',
  'message msg',
  'package pkg',
  'database db',
  'administrator admin',
].map((words) => words.split(' '))

/** What a word is called as well: `org` and `organisation` of an `organization`. */
export const otherSpellings: (word: string) => readonly string[] = onceByText((word) => {
  const same = ABBREVIATIONS.filter((all) => all.includes(word))
  const short = new Set(same.flatMap(([, ...all]) => all))
  const all = ABBREVIATIONS.filter((one) => one.slice(1).some((two) => short.has(two))).flat()
  return [...new Set(all)].filter((one) => one !== word)
})

/** The path of the record that a path lies below, such as `/orders/{id}` of `/orders/{id}/cancel`; `undefined` without one. */
export function recordPathAbove(path: string): string | undefined {
  const segments = path.split('/')
  const last = segments.findLastIndex(
    (segment, at) => isParameter(segment) && at < segments.length - 1,
  )

  return last < 2 ? undefined : segments.slice(0, last + 1).join('/')
}

const ACTION =
  /^(.+\/\{[^{}/]+\})(?:\/(?:(?:actions?|operations?|commands?|lifecycle|transitions?|state)\/)?|:)([A-Za-z][\w-]*)$/

/** An action on a record by its path: `/orders/{id}` and `cancel` of `/orders/{id}/cancel` and `/orders/{id}:cancel`. */
export function actionIn(
  path: string,
): { readonly recordPath: string; readonly name: string } | undefined {
  const [, recordPath, name] = ACTION.exec(shapeOf(path).path) ?? []
  return recordPath === undefined || name === undefined ? undefined : { recordPath, name }
}

/** The last segment that is no parameter, which names the records: `repos` of `/orgs/{org}/repos`. */
export function wordOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'))
  return segments.at(-1) ?? ''
}

/** The names of the path parameters in a template. */
export const parametersIn: (path: string) => readonly string[] = onceByText((path) =>
  [...path.matchAll(/\{([^{}/]+)\}/g)].flatMap(([, name]) => name ?? []),
)

function isParameter(segment: string): boolean {
  return /^\{[^{}/]+\}$/.test(segment)
}

/** A parameter without its name: operations on the same path may call it differently. */
export const UNNAMED = '{}'

/** A path template without the names of its parameters: `/orgs/{}` of `/orgs/{org}`. */
export const withoutNames: (path: string) => string = onceByText((path) =>
  path.replace(/\{[^{}/]+\}/g, UNNAMED),
)

/** The path whose changes a path tells of: `/v1/pods` of `/v1/watch/pods`. Another path is returned as it is. */
export function withoutWatch(path: string): string {
  return path.replace(/\/watch(?=\/)/i, '')
}

/** The path parameter in a segment of a template; `undefined` without one. */
export function parameterIn(segment: string | undefined): string | undefined {
  return /\{([^{}]+)\}/.exec(segment ?? '')?.[1]
}

/** A text as it is in a regular expression. */
export function escaped(text: string): string {
  return text.replace(/\W/g, '\\$&')
}
