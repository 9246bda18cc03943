/** A place of a lane at which something is wrong. */
export interface LaneFault {
  readonly subject: string;
  readonly audience: string;
  readonly ordinal: number;
  readonly what: string;
}

/** A lane's newest version, as the store says it is. */
export interface LaneHead {
  readonly ordinal: number;
  readonly writtenAt: string;
}

/** Checks that the versions of every lane are 1, 2, 3… up to its head, in order, in time. */
export interface LaneCheck {
  /** Says what a lane's head is; false when that was said before. */
  head(subject: string, audience: string, head: LaneHead): boolean;
  /** The next version of a lane. */
  next(subject: string, audience: string, ordinal: number, writtenAt: string): void;
  /** The first fault of every lane that has one, once there are no more versions. */
  end(): LaneFault[];
}

interface Lane {
  readonly subject: string;
  readonly audience: string;
  head: LaneHead | null;
  last: LaneHead | null;
  fault: LaneFault | null;
}

/** A check of lanes that keeps nothing of their versions. */
export function checkLanes(): LaneCheck {
  const lanes = new Map<string, Lane>();

  function laneOf(subject: string, audience: string): Lane {
    const key = JSON.stringify([subject, audience]);
    const lane = lanes.get(key) ?? { subject, audience, head: null, last: null, fault: null };
    lanes.set(key, lane);
    return lane;
  }

  return {
    head(subject, audience, head) {
      const lane = laneOf(subject, audience);
      if (lane.head !== null) return false;
      lane.head = head;
      return true;
    },
    next(subject, audience, ordinal, writtenAt) {
      const lane = laneOf(subject, audience);
      if (lane.fault !== null) return;
      const expected = (lane.last?.ordinal ?? 0) + 1;
      const fault = (what: string): LaneFault => ({ subject, audience, ordinal: expected, what });
      if (ordinal !== expected) lane.fault = fault(`ordinal ${ordinal} stands where ${expected} follows`);
      else if (lane.last !== null && writtenAt < lane.last.writtenAt) lane.fault = fault('time goes back');
      lane.last = { ordinal, writtenAt };
    },
    end: () => [...lanes.values()].flatMap((lane) => lane.fault ?? missesHead(lane) ?? []),
  };
}

function missesHead({ subject, audience, head, last }: Lane): LaneFault | null {
  const [said, found] = [head?.ordinal ?? 0, last?.ordinal ?? 0];
  const fault = (what: string, ordinal: number): LaneFault => ({ subject, audience, ordinal, what });
  if (found < said) return fault(`it ends at ${found}, its head is ${said}`, found + 1);
  if (found > said) return fault(`its head is ${said}, it goes on to ${found}`, said + 1);
  if (head === null || last === null) return fault('it has no version', 1);
  return head.writtenAt === last.writtenAt ? null : fault('its head has another time', said);
}
