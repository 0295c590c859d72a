import type { Pair, SampleRequest } from './operation-types.ts'

/** A place of a request that contains the key. */
export interface Credential {
  readonly in: 'header' | 'query'
  readonly name: string
  /** The text with the key of the sample. */
  readonly text: string
  /** The key in the text. */
  readonly key: string
}

/** A sample request, with its credentials apart from the rest. */
export interface TakenApart {
  readonly sample: SampleRequest
  readonly credentials: readonly Credential[]
}

const BASIC = /^Basic (\S+)$/

/** Takes the places that contain `key` out of a request. */
export function takeCredentials(sample: SampleRequest, key: string): TakenApart {
  const find =
    (place: Credential['in']) =>
    ([name, value]: Pair): Credential[] =>
      decode(value).includes(key) ? [{ in: place, name, text: value, key }] : []
  const credentials = [
    ...sample.headers.flatMap(find('header')),
    ...sample.query.flatMap(find('query')),
  ]
  const without = (pairs: readonly Pair[], place: Credential['in']): readonly Pair[] =>
    pairs.filter((pair) => find(place)(pair).length === 0)

  return {
    sample: {
      ...sample,
      headers: without(sample.headers, 'header'),
      query: without(sample.query, 'query'),
    },
    credentials,
  }
}

/** The text of a credential with another key. */
export function credentialText({ text, key }: Credential, other: string): string {
  const replaced = decode(text).replaceAll(key, () => other)
  return BASIC.test(text) ? `Basic ${encodeBase64(replaced)}` : replaced
}

/** User name and password of basic authentication; any other text as it is. */
function decode(text: string): string {
  const [, encoded = ''] = BASIC.exec(text) ?? []
  if (encoded === '') return text
  try {
    return atob(encoded)
  } catch {
    return text
  }
}

/** The texts may have characters that `btoa` refuses. */
function encodeBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)))
}
