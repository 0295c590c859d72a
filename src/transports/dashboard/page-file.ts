import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { CoreResponse } from '../../http/message.ts'
import { getOwn } from '../../validation/objects.ts'

/** The file that is the page. */
export const PAGE = 'index.html'

/** Names of files, and of files in folders. No segment begins with a dot, so that no path leaves the folder. */
const FILE_NAME = /^\w[\w-]*(?:[./]\w[\w-]*)*$/

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** The page loads only its own files, sends requests only to its own server, and is shown in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  // A browser asks each time whether the file has changed.
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * The response with a file of a folder; `undefined` when there is no such file. `known` is the request's `If-None-Match`: a
 * client that has the file gets a 304.
 */
export async function filePage(
  folder: string,
  name: string,
  known: string | undefined,
): Promise<CoreResponse | undefined> {
  const type = getOwn(TYPES, extname(name))
  if (type === undefined || !FILE_NAME.test(name)) return undefined
  const body = await readFile(join(folder, name)).catch(() => undefined)
  if (!body) return undefined
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers = { ...HEADERS, ETag: tag }
  if (hasTag(known, tag)) return { status: 304, headers, body: '' }

  return { status: 200, headers: { ...headers, 'Content-Type': type }, body }
}

/** Whether `If-None-Match` has the tag, by weak comparison (RFC 9110, section 13.1.2). */
function hasTag(known: string | undefined, tag: string): boolean {
  const tags = (known ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  return tags.includes(tag) || tags.includes('*')
}
