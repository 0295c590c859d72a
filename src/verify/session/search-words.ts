import type { Operation, Parameter } from '../../contract/contract.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { listedIn } from '../record-address.ts'
import { typeOf } from '../test-data/values.ts'
import type { Session } from './session.ts'

/** The names of parameters that search for any text. */
const SEARCH = /^(q|query|search|term|text|keywords?|phrase)$/i

/** The most words that are tried. */
const MAX_WORDS = 4

/** The text for which a list must be asked, such as the `q` of a search; `undefined` for lists that need none. */
function searchedText({ parameters }: Operation): Parameter | undefined {
  return parameters.find(
    ({ in: place, name, required, schema }) =>
      place === 'query' && required && SEARCH.test(name) && typeOf(schema) === 'string',
  )
}

/**
 * Finds the word for the searched text of an operation once, and gives it to all its later requests: the one that lists the most records,
 * of those that many known records have. A generated text lists none, so that nothing could be said of the list.
 */
export async function findSearchWord(request: ProbeRequest, session: Session): Promise<void> {
  const { operation } = request
  const parameter = operation && searchedText(operation)
  if (!parameter || session.inputs.isGiven(operation, parameter.name)) return
  const { name } = parameter
  const known = session.responses.flatMap(textsIn)
  let [best, most] = ['', 0]
  for (const word of commonWords(known, parameter)) {
    const target = withQuery(request.target, (one) => one === name, [[name, word]])
    try {
      const response = await session.send({ ...request, target, isComplete: true })
      const count = isSuccess(response) ? listedIn(response.json).length : 0
      if (count > most) [best, most] = [word, count]
    } catch (error) {
      if (error instanceof NotSent) break
      throw error
    }
  }
  if (most > 0) session.inputs.give(operation, name, best)
}

/** The texts of each listed record, which others than the run have made. */
function textsIn({ json, request, status }: ProbeResponse): readonly string[] {
  if (request.method !== 'GET' || !isSuccess({ status }) || json === undefined) return []
  return listedIn(json).map((one) =>
    Object.values(isObject(one) ? one : {})
      .filter((value) => typeof value === 'string' && value.includes(' '))
      .join(' '),
  )
}

/** The words that the most texts have. */
function commonWords(texts: readonly string[], { validate }: Parameter): readonly string[] {
  const counts = new Map<string, number>()
  for (const text of new Set(texts)) {
    const words = new Set(text.toLowerCase().match(/\p{L}{3,}/gu))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts]
    .filter(([word]) => word !== 'verify' && validate(word))
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_WORDS)
    .map(([word]) => word)
}
