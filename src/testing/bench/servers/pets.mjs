// What every hand-written server responds with: the first page of the sandbox's first records, and its errors.
import { readFile } from 'node:fs/promises'

/** Fifty records. */
export const pets = JSON.parse(await readFile(new URL('pets.json', import.meta.url), 'utf8'))
export const page = pets.slice(0, 20)
export const unauthorized = { code: 'unauthorized', message: 'No API key was sent.', status: 401 }
export const limited = { code: 'rate_limit_exceeded', message: 'Retry in 44 seconds.', status: 429 }
export const port = Number(process.argv[2])
