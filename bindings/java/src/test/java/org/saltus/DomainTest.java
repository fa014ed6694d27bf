package org.saltus;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Each test has a domain in shared memory that is its own. */
abstract class DomainTest {
  Support support;
  Domain domain;

  @BeforeEach
  void open() throws IOException {
    support = new Support();
    domain = Domain.open(support.url);
  }

  @AfterEach
  void close() throws IOException {
    domain.close();
    support.close();
  }
}
