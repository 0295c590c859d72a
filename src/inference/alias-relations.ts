import { plainName } from '../contract/schema.ts'
import { formsOf, isSameWord, wordsOf } from './id-property.ts'
import { parameterIn, UNNAMED, withoutNames, wordOf } from './path-shape.ts'

// Which paths may lead to the same records, by their segments alone.

/** How two paths of collections are related: the deeper one has further segments before its last words, or a parameter after them. */
export interface Relation {
  /** The parameters that only the deeper path has, with the literal segment before each. */
  readonly between: readonly { readonly parameter: string; readonly after: string }[]
  /** Whether they are after the last words of the flatter path, as in `/snippets/{workspace}`. */
  readonly isAtEnd: boolean
}

/** The paths that are related to each path, which has the same last word. */
export function findRelated(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const leadsTo = createRelations(paths)
  const related = new Map<string, Set<string>>()
  const relate = (one: string, other: string): void => {
    related.set(one, (related.get(one) ?? new Set()).add(other))
  }
  for (const path of paths) {
    for (const one of leadsTo(path)) {
      relate(path, one)
      relate(one, path)
    }
  }
  return new Map([...related].map(([path, others]) => [path, [...others]]))
}

/** Finds the paths to whose records another one may lead. */
export function createRelations(paths: readonly string[]): (path: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  for (const path of paths) {
    const form = singularForm(withoutNames(path))
    known.set(form, [...(known.get(form) ?? []), path])
  }
  const byForm = new Map<string, readonly string[]>()
  for (const path of paths) {
    for (const form of [plainForm(path), versionForm(path) ?? [], tailForm(path) ?? []].flat())
      byForm.set(form, [...(byForm.get(form) ?? []), path])
  }
  const ofForms = (forms: readonly string[]): readonly string[] =>
    forms.flatMap((form) => known.get(singularForm(form)) ?? [])
  return (path) => {
    const segments = segmentsOf(withoutNames(path))
    const flatter = ofForms(shorterForms(segments)).filter((one) => relationOf(path, one))
    const all = [...flatter, ...ofForms(ownedForms(segments)), ...ofForms(callerForms(path))]
    const sameWord = all.filter((one) => isSameWord(wordOf(one), wordOf(path)))
    const others = otherForms(path).flatMap((form) => byForm.get(form) ?? [])
    const searched = isSearch(path) ? paths.filter((one) => isSearchOf(path, one)) : []
    return [...sameWord, ...others, ...searched].filter((one) => one !== path)
  }
}

/** What other paths to the records of a path look like that end with other words, or have another version. */
function otherForms(path: string): readonly string[] {
  const version = versionForm(path)
  const forms = [lookUpForm(path), childForm(path), selectedForm(path), staffForm(path)]
  const plain = forms.flatMap((one) => (one === undefined ? [] : plainForm(one)))

  return [
    ...plain,
    ...prefixedForms(path),
    ...[endForm(path), version].flatMap((form) => form ?? []),
  ]
}

/** A path without the names of its parameters and the spelling of its last word. */
function plainForm(path: string): string {
  const segments = segmentsOf(withoutNames(path))
  const last = segments.at(-1) ?? ''

  return toPath([...segments.slice(0, -1), last.includes('{') ? last : plainName(last)])
}

/** The collection of which a path finds records by another key: `/releases` of `/releases/tags`, and `/users` of `/users/by/email`. */
export function lookUpForm(path: string): string | undefined {
  const segments = segmentsOf(path)
  if (segments.at(-1)?.includes('{')) return undefined
  const above = segments.at(-2) === 'by' ? segments.slice(0, -2) : segments.slice(0, -1)
  const isCollection = above.length > 0 && !above.at(-1)?.includes('{')

  return isCollection ? toPath(above) : undefined
}

/** The collection of which a path selects some records by a parameter at its end: `/orders` of `/orders/user/{userId}`. */
export function selectedForm(path: string): string | undefined {
  const segments = segmentsOf(path)
  const [word = '{', last = ''] = segments.slice(-2)
  const isSelected = segments.length > 2 && last.startsWith('{') && !word.includes('{')

  return isSelected && !segments.at(-3)?.includes('{') ? toPath(segments.slice(0, -2)) : undefined
}

/** Segments before paths that only some people use. */
const STAFF = /^(admin|manage|management|internal|private|backoffice)$/i

/** The path for everybody to the records of a path for some people: `/users` of `/admin/users`; `undefined` for another one. */
export function staffForm(path: string): string | undefined {
  const segments = segmentsOf(path)
  const at = segments.findIndex((one) => STAFF.test(one))
  const isBefore = at >= 0 && at < segments.length - 1 && !path.includes('{')

  return isBefore ? toPath(segments.toSpliced(at, 1)) : undefined
}

const SEARCH = /^search$/i

function isSearch(path: string): boolean {
  return !path.includes('{') && segmentsOf(path).some((one) => SEARCH.test(one))
}

/**
 * Whether a path searches the records of a collection below others, or of any collection after the word: `/search/issues` and
 * `/repos/issues/search` those of `/repos/{owner}/{repo}/issues`.
 */
export function isSearchOf(path: string, other: string): boolean {
  if (!isSearch(path)) return false
  const words = segmentsOf(path).filter((one) => !SEARCH.test(one))
  const others = segmentsOf(other).filter((one) => !one.includes('{'))
  const isAfter = !SEARCH.test(segmentsOf(path).at(-1) ?? '')
  const isStart = words.slice(0, -1).every((one, at) => one === others[at])
  const isSame = isOneWord(words.at(-1) ?? '{', others.at(-1) ?? '')

  return isStart && isSame && (isAfter || other.includes('{'))
}

/** What the records of the same collection below a record are called. */
const CHILDREN = /^(children|items|contents?|entries|replies|sub[-_]?\w+)$/i

/** The collection of which a path shows the records below one: `/folders` of `/folders/{}/items`, and `/tasks` of `/tasks/{}/subtasks`. */
export function childForm(path: string): string | undefined {
  const [word = '', record = '', last = ''] = segmentsOf(path).slice(-3)
  const isBelow = record.includes('{') && !word.includes('{') && !last.includes('{')
  if (!isBelow || !(CHILDREN.test(last) || last === word)) return undefined

  return toPath(segmentsOf(path).slice(0, -2))
}

/** The collections whose word has that of the record above before it: `/task_assignments` of `/tasks/{}/assignments`. */
function prefixedForms(path: string): readonly string[] {
  const segments = segmentsOf(withoutNames(path))
  const [above = '', record = '', word = ''] = segments.slice(-3)
  if (word === '' || record !== UNNAMED || above.includes('{') || word.includes('{')) return []
  const start = segments.slice(0, -3)

  return formsOf(above).map((form) => toPath([...start, form + plainName(word)]))
}

/** The collections whose word ends with that of a path below a record: `/group_memberships` of `/users/{}/memberships`. */
function endForm(path: string): string | undefined {
  const [above = '', record = '', word = ''] = segmentsOf(withoutNames(path)).slice(-3)
  if (word === '' || record !== UNNAMED || above.includes('{') || word.includes('{'))
    return undefined

  return toPath([...segmentsOf(withoutNames(path)).slice(0, -3), `*${singular(plainName(word))}`])
}

/** What {@link endForm} finds a collection by, whose word consists of several ones. */
function tailForm(path: string): string | undefined {
  const segments = segmentsOf(withoutNames(path))
  const words = wordsOf(segments.at(-1) ?? '')
  if (words.length < 2 || segments.at(-1)?.includes('{')) return undefined

  return toPath([...segments.slice(0, -1), `*${singular(words.at(-1) ?? '')}`])
}

/** A path with its last word in the singular: `/project/{}/component` and `/project/{}/components` are the same. */
function singularForm(path: string): string {
  return path.endsWith('}') ? path : singular(path)
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

const VERSION = /^v\d+(\.\d+)*([a-z]+\d*)?$/i

/** The path with any version in it; `undefined` where it has none. */
export function versionForm(path: string): string | undefined {
  const segments = segmentsOf(withoutNames(path))
  const at = segments.findIndex((one) => VERSION.test(one))
  return at < 0 || at === segments.length - 1 ? undefined : toPath(segments.with(at, 'v*'))
}

/** The segments that mean the caller. */
const CALLER = /^(user|me|account|viewer|self)$/

/** The paths that have the owner of records after their word: `/repos/{}` of `/orgs/{}/repos`, and of `/user/repos`. */
export function ownedForms(segments: readonly string[]): readonly string[] {
  const [owner = '', word = ''] = segments.slice(-2)
  const start = segments.slice(0, -2)
  const isOwner = owner.startsWith('{') || CALLER.test(owner)
  if (!isOwner || word.includes('{')) return []
  const isBelowWord = owner.startsWith('{') || /^users?$/.test(start.at(-1) ?? '')

  return [`${toPath([...(isBelowWord ? start.slice(0, -1) : start), word, UNNAMED])}`]
}

/** What those are called of whom the caller may be one. */
const USERS = ['users', 'user', 'accounts', 'members', 'people', 'profiles', 'customers']

/** The paths below one user of which a path below the caller's record is one: `/users/{}/albums` of `/me/albums` and `/users/me/albums`. */
export function callerForms(path: string): readonly string[] {
  const segments = segmentsOf(withoutNames(path))
  const at = segments.findIndex((one) => CALLER.test(one))
  const [start, rest] = [segments.slice(0, at), segments.slice(at + 1)]
  if (at < 0 || rest.length === 0 || start.some((one) => one.includes('{'))) return []
  if (USERS.includes(start.at(-1) ?? '')) return [toPath([...start, UNNAMED, ...rest])]

  return USERS.map((word) => toPath([...start, word, UNNAMED, ...rest]))
}

/** The path of the caller's record that a path is below, such as `/me` of `/me/albums`. */
export function callerPathAbove(path: string): string {
  const segments = segmentsOf(path)
  return toPath(segments.slice(0, segments.findIndex((one) => CALLER.test(one)) + 1))
}

export function toPath(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join('')
}

/** A path without some successive segments that contain a parameter, for all of these. */
function shorterForms(segments: readonly string[]): readonly string[] {
  return segments.flatMap((_, from) =>
    segments.slice(from).flatMap((_, length) => {
      const end = from + length + 1
      const hasParameter = segments.slice(from, end).some((part) => part.includes('{'))
      return hasParameter ? `/${segments.toSpliced(from, length + 1).join('/')}` : []
    }),
  )
}

/** The relation to a path that lacks the last parameter. */
function betweenLast(path: string): Relation {
  const [after = '', record] = segmentsOf(path).slice(-3)
  const parameter = parameterIn(record) ?? ''
  return { between: [{ parameter, after }], isAtEnd: false }
}

/** Whether a collection has the word of a path below a record at the end of its own, so that only a property can say that it has its records. */
export function isNamedAlike(deeper: string, flatter: string): boolean {
  const end = endForm(deeper)
  return end !== undefined && end === tailForm(flatter) && !isPrefixed(deeper, flatter)
}

function isPrefixed(deeper: string, flatter: string): boolean {
  return prefixedForms(deeper).includes(plainForm(flatter))
}

/** Tells how a path is below another one that ends with the same word; `undefined` when it is not. */
export function relationOf(deeper: string, flatter: string): Relation | undefined {
  if (isPrefixed(deeper, flatter) || isNamedAlike(deeper, flatter)) return betweenLast(deeper)
  const [own, other] = [segmentsOf(deeper), segmentsOf(flatter)]
  const extra = own.length - other.length
  if (extra < 1) return undefined
  const start = other.findIndex((part, at) => !isSamePart(part, own[at]))
  const from = start < 0 ? other.length : start
  const tail = other.slice(from)
  const isTail = tail.every((part, at) => {
    const same = own[from + extra + at] ?? ''
    return part === same || (at === tail.length - 1 && isOneWord(part, same))
  })
  const ends = start < 0 ? own.slice(from) : []
  // Below `/snippets`, only `/snippets/{workspace}` has the same last word.
  if (!isTail || (start < 0 && (ends.length !== 1 || !ends[0]?.includes('{')))) return undefined
  const inserted = own.slice(from, from + extra)
  const between = inserted.flatMap((part, at) => {
    const parameter = part.startsWith('{') && part.endsWith('}') ? parameterIn(part) : undefined
    return parameter === undefined ? [] : [{ parameter, after: own[from + at - 1] ?? '' }]
  })

  return between.length > 0 ? { between, isAtEnd: tail.length === 0 } : undefined
}

export function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1)
}

function isOneWord(one: string, other: string): boolean {
  return !one.includes('{') && singular(one) === singular(other)
}

function isSamePart(one: string, other: string | undefined): boolean {
  return other !== undefined && withoutNames(one) === withoutNames(other)
}
