/** The modules of `@mswjs/data` that hold what the store has no use for. */
export const FAT = /@mswjs[\\/]data[\\/]build[\\/](collection-.*|logger)\.mjs$/

/** The source of one of them without it. */
export function lean(source, path) {
  return path.includes('logger') ? leanLogger(source) : leanCollection(source)
}

/** Methods that the store does not call. What they are made of, relations above all, the bundler drops then. */
const UNCALLED = [
  'createMany',
  'findMany',
  'updateMany',
  'deleteMany',
  'count',
  'all',
  'clear',
  'defineRelations',
]

function leanCollection(source) {
  const called = UNCALLED.reduce((text, name) => replaced(text, method(name), '\n'), source)
  // Each record has a map of its relations, which stays empty: two hundred bytes.
  const unrelated = replaced(called, 'value: /* @__PURE__ */ new Map()', 'value: NO_RELATIONS')
  // Relations that lead back to a record are cut before it is checked, by a copy that is slower than all the rest. What the
  // store writes is a copy of its own.
  const uncut = replaced(
    unrelated,
    method('#sanitizeInitialValues'),
    '\n#sanitizeInitialValues(sanitizedInitialValues) { return { sanitizedInitialValues, restoreProperties() {} } }\n',
  )
  // What tells a record from another is random text, which V8 holds in fourteen pieces: more than four hundred bytes. Nor
  // has a page `crypto.randomUUID` that came by plain HTTP.
  const counted = replaced(uncut, 'crypto.randomUUID()', 'nextKey()')

  return `${counted}
const NO_RELATIONS = new Map()
let latestKey = 0
function nextKey() {
  latestKey += 1
  return String(latestKey)
}
`
}

/** Nothing is logged, and yet each write would make two loggers. */
function leanLogger(source) {
  return replaced(source, /new Logger\(`.*`\)/g, 'this')
}

function method(name) {
  return new RegExp(`\n\t(?:async )?${name}\\([^]*?\n\t}\n`, 'g')
}

function replaced(source, part, instead) {
  if (source.split(part).length < 2) throw new Error(`@mswjs/data has no ${part} any more`)
  return source.replace(part, instead)
}
