import type { Contract, Operation } from '../../contract/contract.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { singular } from '../../resources/reference-names.ts'
import { isParameter, isSameTemplate, segmentsOf } from '../record-address.ts'
import { escaped, hasWords, sentencesOf, spaced } from './stated-rules.ts'

/** What says of all records, or of those of one collection, that they belong to somebody. */
const BELONGS =
  /\bbelongs? to\b|\bonly (its|their|your|his|what)\b|\bonly (the|its|their) \w+\b.*\b(sees?|reads?|changes?)\b|\b(an)?other (?!media|query|param|field|propert|types?\b|content|method|value|error|header|scheme)\w|\b(private|scoped|isolated|nobody else|some(body|one) else)\b/i

/** What also says it in the description of an operation: "Lists the complaints that the caller has filed". */
const OWN = /\b(own|owns|owners?|callers?|no others)\b/i

/** What says who has no key, and not whose records are meant. */
const UNAUTHENTICATED = /\b401\b/

/**
 * The collections whose records belong to somebody, where a document says so of some collections only: those of the others may be
 * everybody's. `undefined` where it says so of all records, or of none.
 */
export function ownedCollections(
  { operations }: Contract,
  texts: DocumentTexts,
): ReadonlySet<string> | undefined {
  const names = [...new Set(operations.flatMap(collectionsOf))]
  const ofRecords = otherRecords(operations)
  const says = (sentence: string, pattern: RegExp): boolean =>
    pattern.test(spaced(sentence).replace(ofRecords, ''))
  const namedIn = (one: string): readonly string[] =>
    names.filter((name) => isAbout(spaced(one), name))
  const general = sentencesOf(texts.api).filter(
    (one) => says(one, BELONGS) && !UNAUTHENTICATED.test(one),
  )
  if (general.some((one) => namedIn(one).length === 0)) return undefined
  const saying = operations.filter(({ id }) =>
    sentencesOf(texts.operation(id)).some((one) => says(one, BELONGS) || says(one, OWN)),
  )
  const last = saying.flatMap((one) => collectionsOf(one).slice(-1))
  const owned = [...general.flatMap(namedIn), ...last]

  return owned.length === 0 ? undefined : new Set(owned)
}

/** "A bin of another household" is about the record above the bin, and not about who has it. */
function otherRecords(operations: readonly Operation[]): RegExp {
  const names = [...new Set(operations.flatMap(collectionsOf))]
  const words = names.flatMap((name) => [spaced(name), spaced(singular(name))])
  return new RegExp(`\\b(an)?other (\\w+ )?(${words.map(escaped).join('|')})\\b`, 'gi')
}

/** The names of the collections in a path, from the outermost to that of its records. */
export function collectionsOf({ path }: Operation): readonly string[] {
  const segments = segmentsOf(path)
  return segments.filter((one, at) => {
    const next = segments[at + 1]
    return !isParameter(one) && (next === undefined || isParameter(next))
  })
}

function isAbout(sentence: string, collection: string): boolean {
  return [collection, singular(collection)].some((word) => hasWords(sentence, spaced(word)))
}

/** What says that records are everybody's: "Categories are shared", "All users see the same tags". */
const SHARED =
  /\b(is|are) (shared|common|public)\b|\ball (the )?(users|callers|members|clients|teams|accounts|people)\b.*\btogether\b|\b(every|all|any) (users?|callers?|keys?|clients?|teams?|accounts?|members?|people)\b.*\b(sees?|reads?|changes?|lists?|may|can)\b|\b(everyone|everybody|anyone|anybody)\b.*\b(sees?|reads?|may|can)\b|\b(seen|read|visible|listed|changed|open|available|accessible)\b.*\b(by|to|for) (((every|all|any|each) (users?|callers?|keys?|clients?|teams?|accounts?|members?|people))|everyone|everybody|anyone|anybody)\b/i

/** What the description of the API says where all callers have the same records: "All keys work on the same records". */
const ALL_TOGETHER =
  /\b(all|both|every) (api )?(keys?|tokens?|callers?|users?|roles?|clients?)\b.*\b(works? (on|with)|acts? on|sees?|reads?|uses?|ha(s|ve)|shares?)\b.*\b(the same|common) (\w+ )?(records|data|resources)\b|\b(records|data) (is|are) (shared (by|among|between)|common to|the same for) (all|both|every) (api )?(keys?|tokens?|callers?|users?|roles?|clients?)\b/i

/** What the description of the API says of a role that may read all there is: "singer: may read everything but the loans". */
const READS_ALL = /\b(may|can) (only )?(read|see|view|list)s? (everything|all( \w+)?|anything)\b/i

/** Whether the description of the API says that the records are those of all callers, whose roles may differ. */
export function hasCommonRecords({ api }: DocumentTexts): boolean {
  const sentences = sentencesOf(api.replaceAll('*', ''))
  const isOwned = sentences.some((one) => BELONGS.test(one) || OWN.test(one))
  const isReadable = /\broles?\b/i.test(api) && sentences.some((one) => READS_ALL.test(one))
  return sentences.some((one) => ALL_TOGETHER.test(one)) || (isReadable && !isOwned)
}

/** What the description of a list says where all see the same: "All shops share the price list". */
const ALL_SHARE = /\b(all|every|each) (?!of\b)\w+ shares?\b/i

/** What the collection `prices` may be called: the price list. */
const LISTS = ['list', 'catalogue', 'catalog']

/** What says that only some may change what everybody sees: "Only the carrier that owns a station changes it". */
const ONLY_OWN =
  /\bonly (by )?(the|its|their) (\w+ (who|that|which)|owner|author|creator)\b|\bothers? (get|gets|receive|are answered)\b.*\b40[34]\b|\bonly\b.*\b(owns?|owners?|own|created|creators?)\b.*\b(chang|updat|edit|modif|remov|delet)|\b(chang|updat|edit|modif|remov|delet)\w*\b.*\bonly (by|for)\b.*\b(owns?|owners?|created|creators?)\b/i

/** The words for what a method does, in what a role may do: "clerk: may read depots, couriers and vehicles, and register parcels". */
const VERBS: Readonly<Record<string, string>> = {
  GET: 'read|see|view|list',
  PUT: 'change|update|edit',
  PATCH: 'change|update|edit',
  DELETE: 'remove|delete',
}

/** What says that some read only what is theirs. */
const READS_OWN =
  /\b(read|see|view|list)s?\b(?!.*\b(everything|all|anything)\b).*\b(only|own)\b|\b(only|own)\b.*\b(read|seen?|view|list)(s|ed)?\b(?!.*\b(everything|all|anything)\b)/i

/**
 * Whether the description of the API says that a role may do what a method does with the records of a collection: those in the list after
 * "may read", or all that there is.
 */
function isForRoles(
  { method, path }: Operation,
  { operations }: Contract,
  { api }: DocumentTexts,
): boolean {
  const [collection = ''] = segmentsOf(path).filter((one) => !isParameter(one))
  if (!(/\broles?\b/i.test(api) && VERBS[method])) return false
  const sentences = sentencesOf(api.replaceAll('*', ''))
  if (method === 'GET' && sentences.some((one) => READS_ALL.test(one)))
    return !sentences.some((one) => READS_OWN.test(one))
  const known = [...new Set(operations.flatMap(collectionsOf))]
  const isCalled = (one: string, name: string): boolean =>
    [name, singular(name)].some((word) => spaced(word) === spaced(one))
  const listed = new RegExp(
    `\\b(?:may|can) (?:\\w+(?:,| and| or) )*(?:${VERBS[method]})(?: and \\w+)* ([^.;]*)`,
    'i',
  )
  return sentences.some((sentence) => {
    const items = (listed.exec(sentence)?.[1] ?? '').split(/,? and |, /)
    const end = items.findIndex((one) => !known.some((name) => isCalled(one, name)))
    const named = end < 0 ? items : items.slice(0, end)
    return named.some((one) => isCalled(one, collection))
  })
}

/** Whether a document says that the records of an operation's collection are everybody's, to read, or also to change. */
export function isShared(operation: Operation, contract: Contract, texts: DocumentTexts): boolean {
  if (ownRefusal(operation, contract, texts) !== undefined) return false
  const { id, path, method } = operation
  const [collection = ''] = segmentsOf(path).filter((one) => !isParameter(one))
  // What a role may do with other records is said behind it: "may change bins, and may remove only the houses that …".
  const ofAll = sentencesOf(texts.api)
    .flatMap((one) => one.split(/, (?:and )?(?=(?:may|can) )/))
    .filter((one) => isAbout(spaced(one), collection))
  const all = [...ofAll, ...sentencesOf(texts.operation(id))]
  const isKept = method !== 'GET' && all.some((one) => ONLY_OWN.test(one))

  const isOpen = (one: string): boolean => SHARED.test(one) && !/\b(own|only)\b/i.test(one)
  const names = [collection, ...LISTS.map((list) => `${singular(collection)} ${list}`)]
  const named = ofAll.filter((one) => names.some((name) => hasWords(spaced(one), spaced(name))))
  const lists = contract.operations.filter((one) =>
    isSameTemplate(segmentsOf(one.path), [collection]),
  )
  const ofLists = lists.flatMap((one) => sentencesOf(texts.operation(one.id)))

  return (
    !isKept &&
    ([...named, ...sentencesOf(texts.operation(id))].some(isOpen) ||
      isForRoles(operation, contract, texts) ||
      ofLists.some((one) => ALL_SHARE.test(one)))
  )
}

/** What says that a sentence is about records of others, whatever they may do with them. */
const OF_OTHERS =
  /^(?!.*\b(who|that|which) can (see|read)\b).*\b(another|other|others|someone else|somebody else)\b/is

/** The only status with which an operation's own description says that the records of others are answered. */
export function ownRefusal(
  { id, responses, parameters }: Operation,
  { operations }: Contract,
  texts: DocumentTexts,
): number | undefined {
  const last = parameters.findLast((one) => one.in === 'path')
  const all = [texts.operation(id), ...(last ? [texts.parameter(id, last.name)] : [])]
  const parts = all.flatMap(sentencesOf).flatMap((one) => one.split(/, (?=an? )/))
  const ofRecords = otherRecords(operations)
  const said = parts.filter((one) => OF_OTHERS.test(spaced(one).replace(ofRecords, '')))
  const statuses = new Set(said.flatMap((one) => one.match(/\b40[34]\b/g) ?? []))
  const [only] = statuses
  const isDocumented = responses.some(({ status }) => status === Number(only))
  return statuses.size === 1 && isDocumented ? Number(only) : undefined
}

/** What stands for the records that the sentence before is about. */
const IT = /\b(it|them|they|these|those)\b/i

/** The only status with which the description of the API says that the records of others are answered: "A claim of another user: 403". */
export function statedRefusal(
  { path, responses }: Operation,
  { api }: DocumentTexts,
): number | undefined {
  const [collection = ''] = segmentsOf(path).filter((one) => !isParameter(one))
  const noun = spaced(singular(collection))
  const plain = sentencesOf(api.replaceAll('*', ''))
  // "A loan belongs to its caller: others get 403 for it" names the loan before.
  const whole = plain.map((one, at) => (IT.test(one) ? `${plain[at - 1] ?? ''} ${one}` : one))
  const all = whole.filter((one) => OF_OTHERS.test(one) && /\b40[34]\b/.test(one))
  const named = all.filter((one) => hasWords(one, noun, 's?'))
  // What is said of all records is not said of those for which the document has another status, too.
  const has = (status: number): boolean => responses.some((one) => one.status === status)
  const general = has(403) ? [] : all.filter((one) => /\brecords?\b/i.test(one))
  const own = named.length > 0 ? named : general
  const statuses = new Set(own.flatMap((one) => one.match(/\b40[34]\b/g) ?? []))
  const [only] = statuses
  return statuses.size === 1 && has(Number(only)) ? Number(only) : undefined
}

/** What says that an operation is for callers in a role: "For managers.", "Editors only", "Only an admin may …". */
const FOR_ROLE: readonly RegExp[] = [
  /^(?:only )?for (?:the )?([a-z]{4,}?)s?(?: only)?\W*$/i,
  /^([a-z]{4,}?)s? only\W*$/i,
  // What only a role may send is one property.
  /^only (?:an? |the )?([a-z]{4,}?)s? (?:may|can|are allowed|is allowed)\b(?! (?:to )?(?:send|set|give|pass|include|choose|see) `?\w+`? *(?:[.;(]|$))/i,
  /\b(?:needs|requires) the (?:role ([a-z]{4,})|([a-z]{4,}) role)\b/i,
]

/** The role that the description of an operation with a 403 is for, where the document says that callers have roles. */
export function roleOf({ id, responses }: Operation, texts: DocumentTexts): string | undefined {
  if (!responses.some(({ status }) => status === 403)) return undefined
  const roles = `${texts.api} ${texts.response(id, 403)}`
  if (!/\broles?\b/i.test(roles)) return undefined
  const found = sentencesOf(texts.operation(id)).flatMap((one) =>
    FOR_ROLE.flatMap((form) => form.exec(one.replaceAll('*', ''))?.slice(1) ?? []),
  )
  return found.find((one) => one !== undefined && hasWords(roles, one, 's?'))?.toLowerCase()
}

/** Whether a 404 is described as that of the records of others, too: "The record does not exist, or is private to another team". */
export function hidesOthers({ id }: Operation, texts: DocumentTexts): boolean {
  return /\b(another|others?|someone else|somebody else|belongs?|private)\b/i.test(
    texts.anyResponse(id, 404),
  )
}
