import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these programs that is in `PATH`; `undefined` when there is none. */
export function findExecutable(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)

  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
