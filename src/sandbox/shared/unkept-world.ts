import { answer } from '../../engine/answer.ts'
import type { Service } from '../../engine/service.ts'
import { createWorldState, WorldHandle } from '../../engine/world-state.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import type { JournalListener } from '../../journal/journal.ts'
import type { StoredWorld } from '../../state/world-store.ts'
import { SandboxWorld } from '../sandbox-world.ts'
import type { UsedWorld } from '../world-host.ts'
import { openStoredJournal } from './opened-journal.ts'

// A world that does not exist, for those who may not create it: it is as a new one, and is not kept.

/** Answers a request without the credentials that it needs. */
export function answerUnkept(
  request: CoreRequest,
  service: Service,
  onExchange: JournalListener,
): Promise<CoreResponse> {
  return answer(request, createWorldState(service, new Set([onExchange])))
}

/** A world to be read. Its journal begins when a request creates it. */
export function unkeptWorld(stored: StoredWorld, service: Service): UsedWorld {
  const listeners = new Set<JournalListener>()
  const handle = new WorldHandle(createWorldState(service, listeners), listeners)
  const world = new SandboxWorld(
    stored.name,
    () => service,
    () => handle,
  )
  return {
    world,
    openJournal: async (range) => {
      const loaded = await stored.load()
      return loaded ? openStoredJournal(stored.journal, loaded, service, range) : world.journal
    },
    registerUndo: () => undefined,
  }
}
