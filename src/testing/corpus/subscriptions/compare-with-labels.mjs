// How what is found in a document differs from what somebody has found by reading it.

/** The labelled paths that are not found, those that are found and not labelled, and how many are both. Names of parameters do not count. */
export function compare(labelled, found) {
  const plain = (path) => path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '')
  const known = new Set(labelled.map(plain))
  const all = new Set(found.map(plain))
  return {
    missing: labelled.filter((path) => !all.has(plain(path))),
    wrong: found.filter((path) => !known.has(plain(path))),
    found: [...known].filter((path) => all.has(path)).length,
  }
}

/** The shares of the labelled collections that are found, and of the found ones that are right. */
export function sharesOf(results) {
  const sum = (countOf) => results.reduce((total, one) => total + countOf(one), 0)
  const right = sum(({ found }) => found)
  const labelled = right + sum(({ missing }) => missing.length)
  const all = right + sum(({ wrong }) => wrong.length)

  return { documents: results.length, labelled, found: right / labelled, right: right / all }
}
