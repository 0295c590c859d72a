import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, extname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Pointer } from '../document/json-value.ts'
import {
  asUsageError,
  type Mistake,
  Mistakes,
  mistakesInFile,
  type ReadError,
  throwMistakes,
} from '../document/mistake.ts'
import type { Source } from '../document/source.ts'
import { acceptedIn } from '../engine/service.ts'
import {
  checkScenario,
  type Scenario,
  type ScenarioNames,
  scenarioMistakes,
  scenarioNames,
} from '../forcing/scenario.ts'
import { resolveOptions, type SandboxOptions } from '../sandbox/options.ts'
import { UsageError } from '../validation/usage-error.ts'
import { describeSystemError } from './system-error.ts'

/** The sandbox that scenarios are for. They can name its operations, collections, plans and keys. */
export type ScenarioOptions = Pick<SandboxOptions, 'contract' | 'plans' | 'keys'>

/**
 * Loads the scenarios of a folder. Each YAML or JSON file is a scenario with the name of the file; subfolders are ignored. Throws
 * a `UsageError` that lists the mistakes, each with its location (file:line:column) and what to do.
 *
 * @example
 * const scenarios = await loadScenarios('scenarios', { plans: { gold: { minute: 100, day: 5000 } } })
 */
export async function loadScenarios(
  folder: string,
  options: ScenarioOptions = {},
): Promise<Readonly<Record<string, Scenario>>> {
  const settings = resolveOptions(options)
  const { contract, keys } = settings
  const names = scenarioNames(contract, keys, acceptedIn(settings) === 'any')
  const scenarios: [name: string, scenario: Scenario][] = []
  const mistakes: Mistake[] = []

  for (const file of await listFiles(folder)) {
    try {
      scenarios.push([file.name, await loadScenario(file, folder, names)])
    } catch (error) {
      if (!(error instanceof Mistakes)) throw error
      mistakes.push(...error.list)
    }
  }
  if (mistakes.length > 0) throw asUsageError(folder, new Mistakes(mistakes), 'invalid_scenario')

  return Object.fromEntries(scenarios)
}

interface File {
  /** The name of the scenario. */
  readonly name: string
  /** The path as the developer would type it. */
  readonly path: string
}

/** The scenario files of a folder. */
async function listFiles(folder: string): Promise<File[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    const [reason, help] = UNREADABLE[cause.code] ?? [describeSystemError(cause), '']
    throw unreadable(folder, reason, help, cause)
  })
  const files = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .filter(({ name }) => /^[^.].*\.(ya?ml|json)$/i.test(name))
    .map(({ name }) => ({ name: basename(name, extname(name)), path: join(folder, name) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
  if (files.length === 0) {
    throw unreadable(folder, 'it has no scenarios', 'Add a scenario file, such as slow.yaml.')
  }
  for (const [index, { name, path }] of files.entries()) {
    const twin = files.slice(0, index).find((other) => other.name === name)
    if (!twin) continue
    throw unreadable(
      folder,
      `${twin.path} and ${path} have the same name "${name}"`,
      'Rename one of them.',
    )
  }

  return files
}

const UNREADABLE: Readonly<Record<string, readonly [reason: string, help: string]>> = {
  ENOENT: ['the folder does not exist', 'Check the name.'],
  ENOTDIR: ['it is not a folder', 'Name the folder of the scenarios.'],
  EACCES: ['permission denied', 'Check the permissions of the folder.'],
}

function unreadable(folder: string, reason: string, help: string, cause?: unknown): UsageError {
  const task = `load the scenarios of ${folder}`
  return new UsageError({ code: 'unreadable_scenarios', task, reason, help, cause })
}

async function loadScenario(file: File, folder: string, names: ScenarioNames): Promise<Scenario> {
  const source = await readSource(file, folder)
  throwMistakes(inexactNumbers(source))
  const { value } = source
  throwMistakes(mistakesInFile(source, scenarioMistakes(value, names)))
  checkScenario(file.name, value, names)
  return value
}

async function readSource({ path }: File, folder: string): Promise<Source> {
  const readError: ReadError = (reason, help) => new Mistakes([{ reason, location: path, help }])
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined)
    throw readError('the target of the symbolic link does not exist', 'Correct or remove the link.')
  if (!real.startsWith(join(await realpath(folder), sep))) {
    throw readError('the symbolic link points outside the folder', 'Copy the file into the folder.')
  }
  // The target may be a folder, a pipe or a device.
  if (!(await stat(real)).isFile())
    throw readError('it is not a regular file', 'Remove or rename it.')
  const text = await readFile(real, 'utf8').catch((cause) => {
    throw readError(describeSystemError(cause), 'Check the file and its permissions.')
  })
  const { parseSettings } = await import('../document/parse-text.ts')
  const source = parseSettings(path, pathToFileURL(real), text)
  if (source.value !== null) return source
  throw readError('the file is empty', 'Write at least a description: "description: A full store."')
}

/** Finds integers that JavaScript cannot represent exactly. */
function inexactNumbers({ value: root, locate }: Source): Mistake[] {
  const mistakes: Mistake[] = []

  function visit(value: unknown, pointer: Pointer): void {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      const reason = 'the number is too large for JavaScript'
      mistakes.push({
        reason,
        location: locate(pointer),
        help: 'Write an integer up to 9007199254740991.',
      })
    }
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) visit(inner, [...pointer, key])
  }
  visit(root, [])

  return mistakes
}
