/** The modules of `@mswjs/data` that hold what the store has no use for. */
export const FAT = /@mswjs[\\/]data[\\/]build[\\/](collection-.*|logger)\.mjs$/

/** The source of one of them without it. */
export function lean(source, path) {
  return path.includes('logger') ? leanLogger(source) : leanCollection(source)
}

/** Methods that the store does not call. The bundler drops what only they use, relations and queries above all. */
const UNCALLED = [
  'createMany',
  'findFirst',
  'findMany',
  'updateMany',
  'deleteMany',
  'count',
  'all',
  'clear',
  'defineRelations',
  '#query',
]

/** What is put in the place of what, and why. */
const CHANGES = [
  // The store has the record that it changes or deletes at hand: no query need find it.
  [
    /this\.findFirst\(isRecord\(predicate\) \? new Query\(.*?\) : predicate\)/s,
    'this.#records[this.#indexOf(predicate)]',
  ],
  ['const record = this.findFirst(predicate)', 'const record = undefined'],
  ...UNCALLED.map((name) => [method(name), '\n']),
  // Hooks and relations could refuse parts of a change, which would be undone: there are none.
  [
    /\t\tconst patchesToUndo = .*?\n\t\tconst nextRecord = [^\n]*;/s,
    '\t\tconst nextRecord = maybeNextRecord;',
  ],
  // A hash of its number names a collection in the log and in relations.
  [method('#generateCollectionId'), '\n#generateCollectionId() {}\n'],
  // Each record has a map of its relations, which stays empty: two hundred bytes.
  ['value: /* @__PURE__ */ new Map()', 'value: NO_RELATIONS'],
  // Relations that lead back to a record are cut before it is checked, by a copy that is slower than all the rest. What
  // the store writes is a copy of its own.
  [
    method('#sanitizeInitialValues'),
    '\n#sanitizeInitialValues(sanitizedInitialValues) { return { sanitizedInitialValues, restoreProperties() {} } }\n',
  ],
  // A random text tells one record from another. V8 holds it in fourteen pieces, more than four hundred bytes, and a page
  // that came by plain HTTP has no `crypto.randomUUID` to make it.
  ['crypto.randomUUID()', 'nextKey()'],
  // The library looks for a record from the first one on. Numbers that are given in turn ascend, and one of a million is
  // found in twenty steps.
  [
    method('#indexOf'),
    '\n#indexOf(record) { return placeOf(this.#records, record[kPrimaryKey]) }\n',
  ],
]

function leanCollection(source) {
  return `${CHANGES.reduce((text, [part, instead]) => replaced(text, part, instead), source)}
const NO_RELATIONS = new Map()
let latestKey = 0
function nextKey() {
  latestKey += 1
  return latestKey
}
function placeOf(records, key) {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (records[middle][kPrimaryKey] < key) low = middle + 1
    else high = middle
  }
  return records[low]?.[kPrimaryKey] === key ? low : -1
}
`
}

/** Nothing is logged, and yet each write would make two loggers. */
function leanLogger(source) {
  return replaced(source, /new Logger\(`.*`\)/g, 'this')
}

/** A method with its body, in the library's layout. */
function method(name) {
  return new RegExp(`\n\t(?:async |\\*)?${name}\\([^]*?\n\t}\n`, 'g')
}

function replaced(source, part, instead) {
  if (source.split(part).length < 2) throw new Error(`@mswjs/data has no ${part} any more`)
  return source.replace(part, instead)
}
