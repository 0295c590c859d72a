import { basePathsOf } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import { shortened, UsageError } from '../validation/usage-error.ts'

/**
 * The URL at which clients reach the root of a server, without a trailing slash. Throws a UsageError when the text is not an
 * http or https URL, and when it has a user, a query or a fragment.
 */
export function toPublicUrl(text: string, name = 'publicUrl'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw invalid(name, text, 'it is not an http or https address')
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw invalid(name, text, 'it has a user, a query or a fragment')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/**
 * Throws a UsageError for a public URL that ends with a base path of the API. Links add the base path, so they would contain
 * it twice.
 */
export function refuseBasePath(publicUrl: string | undefined, contract: Contract): void {
  if (publicUrl === undefined) return
  const { pathname } = new URL(publicUrl)
  const basePath = basePathsOf(contract).find((one) => one !== '' && pathname.endsWith(one))
  if (basePath === undefined) return
  const address = publicUrl.slice(0, -basePath.length)
  throw new UsageError({
    code: 'invalid_public_url',
    task: `use the public URL "${publicUrl}"`,
    reason: `links would start with ${publicUrl}${basePath}`,
    help: `Write the URL without ${basePath}, as ${address}.`,
  })
}

function invalid(name: string, text: string, reason: string): UsageError {
  return new UsageError({
    code: 'invalid_public_url',
    task: `use ${name} "${shortened(text)}"`,
    reason,
    help: 'Write the URL that clients use, as https://example.com/sandbox.',
  })
}
