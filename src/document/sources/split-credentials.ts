import { decodeComponent } from '../../contract/parse-text.ts'
import type { LoadOptions } from './load-options.ts'

/** Whether a document is named by its URL. */
export function isUrl(file: string): boolean {
  return /^https?:\/\//i.test(file)
}

/** The name of a document without the credentials of its URL, and the options with these as a header. It can be printed. */
export function splitCredentials(
  file: string,
  options: LoadOptions,
): { readonly file: string; readonly options: LoadOptions } {
  const url = isUrl(file) && URL.canParse(file) ? new URL(file) : undefined
  if (!url || (url.username === '' && url.password === '')) return { file, options }
  const pair = [url.username, url.password].map(decodeComponent).join(':')
  url.username = ''
  url.password = ''
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`

  return { file: url.href, options: { ...options, headers: { authorization, ...options.headers } } }
}
