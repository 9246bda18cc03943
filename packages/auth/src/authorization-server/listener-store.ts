/** A device that was enrolled to say facts of one subject to a person. Its tokens carry its client id and no other. */
export interface EnrolledListener {
  readonly id: string;
  /** What people call it: "kitchen". */
  readonly name: string;
  readonly clientId: string;
  readonly subject: string;
  /** Epoch seconds. */
  readonly enrolledAt: number;
  /** Epoch seconds; undefined while it is enrolled. */
  readonly revokedAt: number | undefined;
}

/** Where enrolled listeners are kept. What a method promised survives any crash. */
export interface ListenerStore {
  find(id: string): Promise<EnrolledListener | undefined>;
  findByClient(clientId: string): Promise<EnrolledListener | undefined>;
  /** All of them, revoked ones too, oldest first. */
  all(): Promise<readonly EnrolledListener[]>;
  /** Keeps a listener in the place of the one of its id, if there is one. */
  save(listener: EnrolledListener): Promise<void>;
}
